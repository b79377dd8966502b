import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';

const SOURCE = join(import.meta.dirname, '../src');
const REPOSITORY = join(import.meta.dirname, '../..');

/** Each top-level folder or file, and those that it may import. */
const MAY_IMPORT: Record<string, string[]> = {
  'main.ts': ['commands'],
  commands: ['runtime', 'config.ts', 'environment.ts', 'domain', 'storage', 'model', 'lib'],
  runtime: ['config.ts', 'environment.ts', 'http', 'maintenance', 'domain', 'storage', 'model', 'lib'],
  maintenance: ['domain', 'storage', 'model', 'lib'],
  'config.ts': ['environment.ts', 'model'],
  'environment.ts': [],
  http: ['domain', 'storage', 'model', 'lib'],
  domain: ['storage', 'model', 'lib'],
  storage: ['model', 'lib'],
  model: ['lib'],
  lib: [],
};

/** A folder's rooms (files and folders), top first. Each may import those after it, and all that the folder may. */
const ROOMS: Record<string, string[]> = {
  http: [
    'app.ts',
    'map.ts',
    'routes',
    'endpoint.ts',
    'services.ts',
    'identity',
    'gate',
    'imports',
    'pages',
    'openapi',
    'protocol',
    'contract',
  ],
  domain: [
    'copy.ts',
    'export.ts',
    'overview.ts',
    'keys',
    'accounts',
    'feeds',
    'imports',
    'requests',
    'webhooks',
    'events',
    'listings',
    'writing',
    'access',
  ],
};

function mayImport(from: string, to: string): boolean {
  const [folder = '', room = ''] = from.split('/');
  const [target = '', targetRoom = ''] = to.split('/');
  if (folder !== target) return (MAY_IMPORT[folder] ?? []).includes(target);
  const rooms = ROOMS[folder] ?? [];
  return rooms.indexOf(targetRoom) > rooms.indexOf(room);
}

/** Packages that only one room may import, and the reason. */
const ONLY_IN: [packageName: RegExp, place: RegExp, why: string][] = [
  [/^negotiator$|^node:https?$/, /^(http\/|runtime\/listening\.ts|lib\/outgoing\.ts)/, 'only http/ knows HTTP'],
  [/^kysely$/, /^storage\//, 'only storage/ knows SQL'],
  [/^node:sqlite$|^pg$/, /^storage\/(sqlite|postgres)(\.ts|\/)/, 'only the engine files know the engine'],
  [/^rate-limiter-flexible$/, /^lib\/limiter\.ts$/, 'one place decides where requests are counted'],
  [/^prom-client$/, /^lib\/metrics\.ts$/, 'one place decides what metrics cost'],
  [/^better-auth/, /^http\/identity\/(better-auth|single-use-codes)\.ts$/, 'it is loaded when it is first needed'],
  [/^node:cluster$/, /^runtime\/workers\//, 'the service itself does not know how many processes there are'],
  [/^commander$/, /^commands\//, 'only commands/ knows the command line'],
  [/^node:(fs|net|http|timers|child_process|sqlite)/, /^(?!model\/)/, 'model/ does no input or output'],
  [/^node:fs/, /^(?!domain\/)/, 'the domain reads no files'],
];

interface Import {
  file: string;
  target: string;
}

const { files, imports, inner } = readImports(SOURCE);

/** All imports below a folder, including types; `inner` has the relative ones, resolved. */
function readImports(folder: string) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('node_modules'),
  );
  const imports: Import[] = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export)[^;]*? from '([^']+)';|^import '([^']+)';/gm,
      ),
    ].map(([, from, bare]) => ({ file, target: from ?? bare ?? '' })),
  );
  const inner = imports
    .filter(({ target }) => target.startsWith('.'))
    .map(({ file, target }) => ({ file, target: normalize(join(dirname(file), target)) }));
  return { files, imports, inner };
}

const ALL_ROOMS = new Set(
  Object.keys(MAY_IMPORT).flatMap((name) => ROOMS[name]?.map((room) => `${name}/${room}`) ?? name),
);

function roomOf(file: string): string {
  const [room = '', inner] = file.split('/');
  return room in ROOMS ? `${room}/${inner}` : room;
}

describe('architecture', () => {
  test('every file belongs to a room in the table', () => {
    assert.deepEqual(new Set(files.map(roomOf)), ALL_ROOMS);
  });

  test('imports only point down', () => {
    const upwards = inner.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && !mayImport(from, to);
    });
    assert.deepEqual(upwards, []);
  });

  for (const workspace of ['server/src', 'client/src', 'cli/src', 'dashboard/src', 'bench/src', 'prove/src']) {
    test(`${workspace} has no circular imports`, () => {
      const { files, inner } = readImports(join(REPOSITORY, workspace));
      const targets = Map.groupBy(inner, ({ file }) => file);
      const seen = new Set<string>();
      const visit = (file: string, path: string[]): void => {
        assert.ok(!path.includes(file), `circular: ${[...path, file].join(' → ')}`);
        if (seen.has(file)) return;
        for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
        seen.add(file);
      };
      for (const file of files) visit(file, []);
    });
  }

  test('no source has an identifier that the glossary avoids', () => {
    const glossary = readFileSync(join(REPOSITORY, 'docs/glossary.md'), 'utf8');
    const avoided = [...glossary.matchAll(/^\|[^|]*\|[^|]*\|(.*)\|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    assert.ok(avoided.length > 0);
    // An avoided word before another word is prose, such as a message, not an identifier.
    const pattern = new RegExp(`\\b(${avoided.join('|')})\\b(?! [a-z])`);
    const isUsed = (line: string) => pattern.test(line) && !/^\s*(\/\/|\/?\*)/.test(line);
    for (const workspace of [
      'server/src',
      'client/src',
      'cli/src',
      'dashboard/src',
      'bench/src',
      'prove/src',
      'testkit/src',
    ]) {
      const { files } = readImports(join(REPOSITORY, workspace));
      const found = files.flatMap((file) =>
        readFileSync(join(REPOSITORY, workspace, file), 'utf8')
          .split('\n')
          .filter(isUsed)
          .map((line) => `${workspace}/${file}: ${line.trim()}`),
      );
      assert.deepEqual(found, []);
    }
  });

  test('each package is imported only in its own room', () => {
    const misplaced = imports.flatMap(({ file, target }) =>
      ONLY_IN.filter(([name, place]) => name.test(target) && !place.test(file)).map(
        ([, , why]) => `${file}: ${target} (${why})`,
      ),
    );
    assert.deepEqual(misplaced, []);
  });

  test('better-auth is only imported dynamically, so commands and workers load it only when they need it', () => {
    const entry = 'http/identity/better-auth.ts';
    const loading = withoutTypes(inner).filter(
      ({ file, target }) => target === entry || (target === 'http/identity/single-use-codes.ts' && file !== entry),
    );
    assert.deepEqual(loading, []);
  });

  test('no other workspace imports the server', () => {
    for (const workspace of ['bench', 'prove', 'client/src', 'cli/src', 'dashboard/src']) {
      assert.deepEqual(filesWith(workspace, /from '[^']*server\/src/), [], `${workspace} imports the server`);
    }
  });

  test('the CLI calls the service only through the client', () => {
    // `webhooks listen` also sends webhooks to a program on the same machine.
    const exceptions = ['webhooks/deliver.ts'];
    assert.deepEqual(filesWith('cli/src', /from '(node:https?|node:net|undici)|[^.\w]fetch\(/), exceptions);
  });

  test('the client has no dependencies and uses no Node.js-only APIs', () => {
    assert.deepEqual(filesWith('client/src', /(from|import\() ?'(?!\.\/)/), []);
    assert.equal(JSON.parse(readFileSync(join(REPOSITORY, 'client/package.json'), 'utf8')).dependencies, undefined);
  });
});

function filesWith(workspace: string, pattern: RegExp): string[] {
  return readdirSync(join(REPOSITORY, workspace), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .filter((file) => pattern.test(readFileSync(join(REPOSITORY, workspace, file), 'utf8')));
}

/** `import type` loads nothing at run time. */
function withoutTypes(all: Import[]): Import[] {
  return all.filter(({ file, target }) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const name = target.split('/').at(-1)?.replace('.', '\\.');
    return new RegExp(`^(?:import|export) (?!type )[^;]*${name}';`, 'm').test(text);
  });
}
