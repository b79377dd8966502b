import { runProgram } from './commands/program.ts';

await runProgram(process.argv);
