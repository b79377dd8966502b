import { backups } from '../src/parts/backups.ts';
import { testPart } from './support.ts';

testPart(backups);
