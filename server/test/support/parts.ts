import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENGINE } from '../../../testkit/src/database.ts';

const TESTS = join(import.meta.dirname, '..');

/** What runs on both engines, */
const BOTH = '{domain,http,storage}/*.test.ts';
/** except for promises that are kept above storage: there an engine changes nothing. */
const ABOVE_STORAGE = `
  admin-access bad-bodies bad-fields bad-photos-and-metadata better-auth-routes
  bounded-validation compression connections csv-imports dashboard error-pages
  identity-faults import-limits import-uploads late-passwords list-formats
  list-negotiation list-texts log-lines openapi openapi-examples raw-requests short-bodies
  slow-bodies wrong-links`
  .trim()
  .split(/\s+/)
  .map((name) => `http/${name}.test.ts`);
/** What is about processes has one of its own. */
const ALONE = ['*.test.ts', '{commands,packages,parts,postgres}/**'];

/**
 * Runs the test files of a part one after the other in this process: in one of its own each would load and warm up the whole
 * service again. A file is a test that has the file's tests and hooks in it, so that what it starts is gone when it ends.
 */
export function runPart(part: string): void {
  const parts = find('parts/*.test.ts').map((path) => join(TESTS, path));
  const files = ENGINE === 'postgres' ? find(BOTH, ABOVE_STORAGE) : find('**/*.test.ts', ALONE);
  for (const [index, file] of files.entries()) {
    if (parts[index % parts.length] === part) test(file, () => import(join(TESTS, file)));
  }
}

function find(pattern: string, exclude: string[] = []): string[] {
  return globSync(pattern, { cwd: TESTS, exclude }).sort();
}
