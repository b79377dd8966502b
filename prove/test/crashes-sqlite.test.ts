import { crashesSqlite } from '../src/parts/crashes-sqlite.ts';
import { testPart } from './support.ts';

testPart(crashesSqlite);
