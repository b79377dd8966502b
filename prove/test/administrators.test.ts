import { administrators } from '../src/parts/administrators.ts';
import { testPart } from './support.ts';

testPart(administrators);
