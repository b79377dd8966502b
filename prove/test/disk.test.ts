import { disk } from '../src/parts/disk.ts';
import { testPart } from './support.ts';

testPart(disk);
