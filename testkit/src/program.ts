import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { bundleService } from '../../server/scripts/bundle.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const BUILDS = join(REPOSITORY, 'node_modules/.cache/program');
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Bundles the program in the same way as for the package. The directory's name is a hash of its content, because
 * Node.js caches compiled code by path, and because other test runs may still use their own directories.
 */
export async function buildProgram(): Promise<string> {
  const aside = join(BUILDS, `building-${process.pid}`);
  await bundleService(join(aside, 'dist'));
  for (const name of ['bin', 'package.json']) {
    cpSync(join(REPOSITORY, 'server', name), join(aside, name), { recursive: true });
  }
  const build = join(BUILDS, hashFiles(aside));
  symlinkSync(join(REPOSITORY, 'dashboard/dist'), join(aside, 'dist/dashboard'));
  if (existsSync(build)) rmSync(aside, { recursive: true });
  else renameSync(aside, build);
  const now = new Date();
  utimesSync(build, now, now);
  for (const other of globSync(join(BUILDS, '*'))) {
    if (statSync(other).mtimeMs < now.getTime() - KEPT_MS) rmSync(other, { recursive: true });
  }
  return join(build, 'bin/property-listings.js');
}

function hashFiles(directory: string): string {
  const hash = createHash('sha256');
  for (const name of globSync('**/*.*', { cwd: directory }).sort())
    hash.update(name).update(readFileSync(join(directory, name)));
  return hash.digest('hex').slice(0, 16);
}
