import { runProgram } from '../../server/src/commands/program.ts';
import { serveRuns } from './warm-program.ts';

serveRuns((args) => runProgram(['node', 'property-listings', ...args]));
