import { overload } from '../src/parts/overload.ts';
import { testPart } from './support.ts';

testPart(overload);
