import { neighbours } from '../src/parts/neighbours.ts';
import { testPart } from './support.ts';

testPart(neighbours);
