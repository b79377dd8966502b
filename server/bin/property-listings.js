#!/usr/bin/env node
// Plain JavaScript: a Node.js that is too old for the service can still run this and say so.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { FLAGS, MEMORY_FLAGS } from './v8-flags.js';

/** The first with `net.BoundSocket`. */
const NODE_MIN = '26.4';
/** A clone runs its sources; the package contains a build, as Node.js does not strip types in node_modules. */
const SOURCE = new URL('../src/main.ts', import.meta.url);
const BUILT = new URL('../dist/main.js', import.meta.url);
const isClone = existsSync(SOURCE);

if (isOlder(process.versions.node, NODE_MIN)) {
  console.error(
    `property-listings requires Node.js ${NODE_MIN} or newer, and this is ${process.versions.node}; ` +
      (isClone
        ? 'in a clone, run `npm ci` and start it with npm or npx, which bring their own Node.js.'
        : `get it from https://nodejs.org, or run \`npm install node@26\` next to this package.`),
  );
  process.exitCode = 1;
} else {
  if (process.argv[2] === 'serve') startWithMemoryFlags();
  for (const flag of FLAGS) setFlagsFromString(flag);
  // The cache is next to the code, so it is as protected as the code. Without write access, there is no cache.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
  import(isClone ? SOURCE : BUILT);
}

/** Compares the first two numbers of versions. */
function isOlder(version, min) {
  const [[major, minor], [majorMin, minorMin]] = [version, min].map((each) => each.split('.').map(Number));
  return major < majorMin || (major === majorMin && minor < minorMin);
}

/** Replaces this process, unless another program debugs it or talks to it. Workers inherit the flags. */
function startWithMemoryFlags() {
  const { argv, env, execArgv, execPath } = process;
  const given = [...execArgv, env.NODE_OPTIONS].join(' ').replaceAll('_', '-');
  const flags = MEMORY_FLAGS.filter((flag) => !given.includes(flag.split('=')[0]));
  if (flags.length === 0 || given.includes('--inspect') || process.send !== undefined) return;
  try {
    process.execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], env);
  } catch {
    // On Windows, or without the permission to start programs, V8 uses more memory.
  }
}
