import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENGINE } from '../../../testkit/src/database.ts';

const TESTS = join(import.meta.dirname, '..');

/** What is the same on both engines. */
const BOTH = '{domain,http,storage}/*.test.ts';
/** What is about processes has one of its own. */
const ALONE = ['*.test.ts', '{commands,packages,parts,postgres}/**'];

/**
 * Runs the test files of a part one after the other in this process: in one of its own each would load and warm up the whole
 * service again. A file is a test that has the file's tests and hooks in it, so that what it starts is gone when it ends.
 */
export function runPart(part: string): void {
  const parts = find('parts/*.test.ts').map((path) => join(TESTS, path));
  const files = ENGINE === 'postgres' ? find(BOTH) : find('**/*.test.ts', ALONE);
  for (const [index, file] of files.entries()) {
    if (parts[index % parts.length] === part) test(file, () => import(join(TESTS, file)));
  }
}

function find(pattern: string, exclude: string[] = []): string[] {
  return globSync(pattern, { cwd: TESTS, exclude }).sort();
}
