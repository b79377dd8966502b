import { isolation } from '../src/parts/isolation.ts';
import { testPart } from './support.ts';

testPart(isolation);
