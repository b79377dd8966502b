import { crashesPostgres } from '../src/parts/crashes-postgres.ts';
import { testPart } from './support.ts';

testPart(crashesPostgres);
