// The main module of the single executable; it imports the package's files from the virtual file system.
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/** Write permission for the group, or for everyone. */
const OTHERS_WRITE = 0o022;

const { FLAGS } = await import('./bin/v8-flags.js');
for (const flag of FLAGS) setFlagsFromString(flag);
enableCache();
// Workers and backups are started as `node FLAGS PROGRAM ARGUMENTS`, and the program is this file.
const flagsEnd = process.argv.findIndex((text, index) => index >= 2 && !process.execArgv.includes(text));
if (process.argv[flagsEnd] === process.execPath) process.argv.splice(2, flagsEnd - 1);
await import('./dist/main.js');

/**
 * Compiled modules make later starts faster. They are cached in this user's cache directory (XDG Base Directory
 * Specification), but only if no other user can write there, because code from the cache is run.
 */
function enableCache() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const home = XDG_CACHE_HOME || HOME;
  if (!home || !isAbsolute(home) || process.geteuid === undefined) return;
  const directory = join(home, XDG_CACHE_HOME ? '' : '.cache', 'property-listings');
  try {
    // `sudo` can leave these variables as they are for the user who calls it.
    if (!isSafe(home)) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (isSafe(directory)) module.enableCompileCache(directory);
  } catch {
    // The directory does not exist, or is not writable.
  }
}

function isSafe(directory) {
  const { uid, mode } = lstatSync(directory);
  return uid === process.geteuid() && (mode & OTHERS_WRITE) === 0;
}
