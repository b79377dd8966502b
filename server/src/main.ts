import { runProgram, watchOutput } from './commands/program.ts';

// `serve` must keep running when its terminal closes, so it handles output errors itself (runtime/service-log.ts).
if (process.argv[2] !== 'serve') watchOutput();
await runProgram(process.argv);
