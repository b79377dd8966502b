// The main module of the single executable.
import { setFlagsFromString } from 'node:v8';
import { FLAGS } from '../bin/v8-flags.js';

for (const flag of FLAGS) setFlagsFromString(flag);
// Workers and backups are started as `node PROGRAM ARGUMENTS`, and the program is this file.
if (process.argv[2] === process.execPath) process.argv.splice(2, 1);
await import('../dist/main.js');
