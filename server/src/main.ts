import { runProgram, watchOutput } from './commands/program.ts';

// The service keeps running when its terminal closes.
if (process.argv[2] !== 'serve') watchOutput();
await runProgram(process.argv);
