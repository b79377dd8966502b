import { failOutput, runProgram } from './commands/program.ts';

process.stdout.on('error', failOutput);
await runProgram(process.argv);
