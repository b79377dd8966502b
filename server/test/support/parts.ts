import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENGINE } from '../../../testkit/src/database.ts';
import { forgetJumps } from '../../src/lib/clock.ts';

const TESTS = join(import.meta.dirname, '..');

/** Test files that run on both engines, except those in `ABOVE_STORAGE`. */
const BOTH = '{domain,http,storage}/*.test.ts';
/** Tests of promises above storage, where the engine makes no difference. */
const ABOVE_STORAGE = `
  admin-access bad-bodies bad-fields bad-photos-and-metadata better-auth-routes
  bounded-validation compression connections csv-imports dashboard early-responses error-pages
  file-reading identity-faults import-limits import-uploads late-passwords list-formats
  list-negotiation list-texts log-lines long-marks openapi openapi-examples
  password-attempts raw-requests short-bodies slow-bodies sockets value-rules worker-permits
  wrong-links`
  .trim()
  .split(/\s+/)
  .map((name) => `http/${name}.test.ts`);
/** Tests that start processes run in their own process, not in a part. */
const ALONE = ['*.test.ts', '{commands,packages,parts,postgres}/**'];

/**
 * Runs a part's test files in this process, because each process would load and warm up the service
 * again. Each file becomes a test around its own tests and hooks, so that the hooks run at its end.
 */
export function runPart(part: string): void {
  const parts = find('parts/*.test.ts').map((path) => join(TESTS, path));
  const files = ENGINE === 'postgres' ? find(BOTH, ABOVE_STORAGE) : find('**/*.test.ts', ALONE);
  for (const [index, file] of files.entries()) {
    if (parts[index % parts.length] === part) test(file, () => start(file));
  }
}

async function start(file: string): Promise<void> {
  // An earlier test may have set the clock.
  forgetJumps();
  await import(join(TESTS, file));
}

function find(pattern: string, exclude: string[] = []): string[] {
  return globSync(pattern, { cwd: TESTS, exclude }).sort();
}
