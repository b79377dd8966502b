import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

// `npm run test:changed [COMMIT]`: runs the test files that depend on changes since a commit (by default, HEAD),
// including those in the work tree. It recognizes only dependencies that a file names by a relative path.

const SOURCE = /\.(?:tsx?|js)$/;
const TEST = /\.test\.ts$/;
const PARTS = /^server\/test\/parts\//;
/** Matches any quoted relative path, such as that of an import or of a program to start. */
const PATH = /(['"`])(\.\.?\/[^'"`\n]+)\1/g;

const [, , since = 'HEAD'] = process.argv;
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter(
  (file) => SOURCE.test(file) && existsSync(file),
);
const known = new Set(files);
/** Maps each file to the files that name it. */
const users = new Map<string, string[]>();
for (const file of files) {
  for (const [, , path = ''] of readFileSync(file, 'utf8').matchAll(PATH)) {
    const target = normalize(join(dirname(file), path));
    if (known.has(target)) users.set(target, [...(users.get(target) ?? []), file]);
  }
}

const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
const touched = new Set(changed);
for (const file of touched) for (const user of users.get(file) ?? []) touched.add(user);
const tests = [...touched].filter((file) => TEST.test(file) && !PARTS.test(file) && known.has(file)).sort();

console.log(`${changed.length} changed files since ${since}; ${tests.length} test files depend on them`);
if (tests.length > 0) {
  const args = ['--test', '--test-concurrency=2', '--test-global-setup=testkit/src/set-up.ts', ...tests];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
