import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';

const SOURCE = join(import.meta.dirname, '../src');
const REPOSITORY = join(import.meta.dirname, '../..');

/** The arrows of the house: what each room may import besides itself. A file at the top is a room of its own. */
const MAY_IMPORT: Record<string, string[]> = {
  'main.ts': ['commands'],
  'service.ts': ['preparation.ts', 'listening.ts', 'config.ts', 'http', 'worker', 'domain', 'storage', 'model', 'lib'],
  'preparation.ts': ['config.ts', 'http', 'domain', 'storage', 'model', 'lib'],
  'waiting.ts': ['listening.ts', 'config.ts', 'http', 'storage', 'model', 'lib'],
  'listening.ts': ['config.ts', 'http'],
  'config.ts': [],
  commands: ['service.ts', 'preparation.ts', 'waiting.ts', 'config.ts', 'domain', 'storage', 'model', 'lib'],
  http: ['domain', 'storage', 'model', 'lib'],
  worker: ['domain', 'storage', 'model', 'lib'],
  domain: ['storage', 'model', 'lib'],
  storage: ['model', 'lib'],
  model: ['lib'],
  lib: [],
};

/** Packages that only one room may know, and for the engine, only some of its files. */
const ONLY_IN: [packageName: RegExp, place: RegExp, why: string][] = [
  [/^negotiator$|^node:http$/, /^(http\/|listening\.ts)/, 'only http/ knows HTTP'],
  [/^kysely$/, /^storage\//, 'only storage/ knows SQL'],
  [/^node:sqlite$|^pg$/, /^storage\/(sqlite|postgres)(\.ts|\/)/, 'only the engine files know the engine'],
  [/^rate-limiter-flexible$/, /^lib\/limiter\.ts$/, 'one place decides where requests are counted'],
  [
    /^better-auth/,
    /^http\/identity\/(better-auth|begin-session|single-use-codes)\.ts$/,
    'it is loaded when it is first needed',
  ],
  [/^node:cluster$/, /^commands\/workers\//, 'the service itself does not know how many processes there are'],
  [/^commander$/, /^commands\//, 'only commands/ knows the command line'],
  [/^node:(fs|net|http|timers|child_process|sqlite)/, /^(?!model\/)/, 'model/ does no input or output'],
  [/^node:fs/, /^(?!domain\/)/, 'the domain reads no files'],
];

interface Import {
  file: string;
  target: string;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports: Import[] = files.flatMap((file) =>
  [
    ...readFileSync(join(SOURCE, file), 'utf8').matchAll(
      /^(?:import|export)[^;]*? from '([^']+)';|^import '([^']+)';/gm,
    ),
  ].map(([, from, bare]) => ({ file, target: from ?? bare ?? '' })),
);
const inner = imports
  .filter(({ target }) => target.startsWith('.'))
  .map(({ file, target }) => ({ file, target: normalize(join(dirname(file), target)) }));

function roomOf(file: string): string {
  return file.split('/')[0] ?? '';
}

describe('architecture', () => {
  test('every file stands in a room that the table knows', () => {
    assert.deepEqual(new Set(files.map(roomOf)), new Set(Object.keys(MAY_IMPORT)));
  });

  test('imports run downwards only', () => {
    const upwards = inner.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && !MAY_IMPORT[from]?.includes(to);
    });
    assert.deepEqual(upwards, []);
  });

  test('no file imports itself by way of others', () => {
    const targets = Map.groupBy(withoutTypes(inner), ({ file }) => file);
    const visit = (file: string, path: string[]): void => {
      assert.ok(!path.includes(file), `a cycle: ${[...path, file].join(' → ')}`);
      for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
    };
    for (const file of files) visit(file, []);
  });

  test('each package is known where it belongs and nowhere else', () => {
    const misplaced = imports.flatMap(({ file, target }) =>
      ONLY_IN.filter(([name, place]) => name.test(target) && !place.test(file)).map(
        ([, , why]) => `${file}: ${target} (${why})`,
      ),
    );
    assert.deepEqual(misplaced, []);
  });

  test('better-auth is loaded when somebody signs in, and not at the start', () => {
    const [entry, ...others] = ['better-auth', 'begin-session', 'single-use-codes'].map(
      (name) => `http/identity/${name}.ts`,
    );
    const loading = withoutTypes(inner).filter(
      ({ file, target }) => target === entry || (others.includes(target) && file !== entry),
    );
    assert.deepEqual(loading, []);
  });

  test('nothing outside the server imports it', () => {
    for (const workspace of ['bench', 'prove', 'client/src', 'cli/src', 'dashboard/src']) {
      assert.deepEqual(filesWith(workspace, /from '[^']*server\/src/), [], `${workspace} imports the server`);
    }
  });

  test('the command line speaks to the service only through the client', () => {
    assert.deepEqual(filesWith('cli/src', /from '(node:https?|node:net|undici)|[^.\w]fetch\(/), []);
  });

  test('the client needs no package and nothing that only Node.js has', () => {
    assert.deepEqual(filesWith('client/src', /(from|import\() ?'(?!\.\/)/), []);
    assert.equal(JSON.parse(readFileSync(join(REPOSITORY, 'client/package.json'), 'utf8')).dependencies, undefined);
  });
});

function filesWith(workspace: string, pattern: RegExp): string[] {
  return readdirSync(join(REPOSITORY, workspace), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .filter((file) => pattern.test(readFileSync(join(REPOSITORY, workspace, file), 'utf8')));
}

/** A type is gone when the program runs: `import type` cannot make a cycle. */
function withoutTypes(all: Import[]): Import[] {
  return all.filter(({ file, target }) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const name = target.split('/').at(-1)?.replace('.', '\\.');
    return new RegExp(`^(?:import|export) (?!type )[^;]*${name}';`, 'm').test(text);
  });
}
