// The main module of the single executable; it imports the package's files from the virtual file system.
import { statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const { FLAGS } = await import('./bin/v8-flags.js');
for (const flag of FLAGS) setFlagsFromString(flag);
const cache = findCacheDirectory();
if (cache) module.enableCompileCache(cache);
// Workers and backups are started as `node FLAGS PROGRAM ARGUMENTS`, and the program is this file.
const flagsEnd = process.argv.findIndex((text, index) => index >= 2 && !process.execArgv.includes(text));
if (process.argv[flagsEnd] === process.execPath) process.argv.splice(2, flagsEnd - 1);
await import('./dist/main.js');

/**
 * Systemd's directory for this service, or that of this user (XDG Base Directory Specification): elsewhere, another user
 * could insert code. Without write access, there is no cache.
 */
function findCacheDirectory() {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  if (CACHE_DIRECTORY) return join(CACHE_DIRECTORY, 'compiled');
  // `sudo` can leave the home directory of the user who called it.
  const isOwnHome = HOME && statSync(HOME, { throwIfNoEntry: false })?.uid === process.geteuid?.();
  const ofUser = XDG_CACHE_HOME || LOCALAPPDATA || (isOwnHome && join(HOME, '.cache'));
  return ofUser && join(ofUser, 'property-listings/compiled');
}
