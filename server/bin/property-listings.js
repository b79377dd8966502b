#!/usr/bin/env node
// Plain JavaScript, so that a Node.js that cannot run the service can still say so.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const NODE_MAJOR_MIN = 26;
/** A clone runs its sources; the package has what was built of them, as Node.js strips no types below node_modules. */
const SOURCE = new URL('../src/main.ts', import.meta.url);
const BUILT = new URL('../dist/main.js', import.meta.url);
const isClone = existsSync(SOURCE);
/** Measured for requests (docs/decisions/0001-runtime.md). */
const FLAGS = [
  // What lives long at the start teaches V8 to put the like of it into the old generation for good, also what a request
  // throws away: a third more memory, and a tenth more time for each request.
  '--no-allocation-site-pretenuring',
  // On a machine of few cores V8's threads take the core away from the one that answers.
  '--no-parallel-scavenge',
  '--no-concurrent-marking',
  '--concurrent-turbofan-max-threads=1',
];

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  console.error(
    `property-listings needs Node.js ${NODE_MAJOR_MIN} or newer and this is ${process.versions.node}; ` +
      (isClone
        ? 'in a clone run `npm ci` and start it with npm or npx, which bring their own.'
        : `get it from https://nodejs.org, or by \`npm install node@${NODE_MAJOR_MIN}\` beside this package.`),
  );
  process.exitCode = 1;
} else {
  for (const flag of FLAGS) setFlagsFromString(flag);
  // Beside the code, so that nobody can change it who could not change the code; where that cannot be written, there is none.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
  import(isClone ? SOURCE : BUILT);
}
