import { slowAndMany } from '../src/parts/slow-and-many.ts';
import { testPart } from './support.ts';

testPart(slowAndMany);
