// The main module of the single executable; it imports the package's files from the virtual file system.
import { setFlagsFromString } from 'node:v8';

const { FLAGS } = await import('./bin/v8-flags.js');
for (const flag of FLAGS) setFlagsFromString(flag);
// Workers and backups are started as `node FLAGS PROGRAM ARGUMENTS`, and the program is this file.
const flagsEnd = process.argv.findIndex((text, index) => index >= 2 && !process.execArgv.includes(text));
if (process.argv[flagsEnd] === process.execPath) process.argv.splice(2, flagsEnd - 1);
await import('./dist/main.js');
