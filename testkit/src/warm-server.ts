import { join } from 'node:path';
import { serveRuns } from './warm-program.ts';

const { TEST_PROGRAM } = process.env;
const { runProgram } = await import(
  TEST_PROGRAM ? join(TEST_PROGRAM, '../../dist/program.js') : '../../server/src/commands/program.ts'
);

serveRuns((args) => runProgram(['node', 'property-listings', ...args]));
