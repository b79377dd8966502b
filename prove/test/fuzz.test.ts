import { fuzz } from '../src/parts/fuzz.ts';
import { testPart } from './support.ts';

testPart(fuzz);
