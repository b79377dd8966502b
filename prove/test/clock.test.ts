import { clock } from '../src/parts/clock.ts';
import { testPart } from './support.ts';

testPart(clock);
