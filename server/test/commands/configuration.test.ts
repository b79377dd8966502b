import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  bareEnvironment,
  createTenantByCommand,
  environment,
  PROGRAM,
  runCommandWarm,
} from '../../../testkit/src/process.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { copyProgram } from '../support/program-copy.ts';

/** Runs the program until it exits. */
async function run(t: TestContext, args: string[], settings: Record<string, string>, program = PROGRAM, cwd?: string) {
  const { output, closed } = spawnFor(t, process.execPath, [program, ...args], environmentFor(program, settings), cwd);
  return { code: await closed, ...output };
}

/** The service must exit with 1 and one line that names the variable. */
function assertStopped(
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
  name: string,
) {
  assert.match(stderr, new RegExp(`^error: [^\\n]*\\b${name}\\b[^\\n]*\\n$`));
  assert.equal(stdout, '');
  assert.equal(code, 1);
}

const WRONG_VALUES: [string, string][] = [
  ['PORT', 'abc'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['PORT', ' '],
  ['DATABASE_URL', 'postgres://localhost'],
  ['DATABASE_URL', 'postgres://local host/listings'],
  ['DATABASE_URL', 'mysql://localhost/listings'],
  ['DATABASE_POOL_SIZE', '0'],
  ['DATABASE_POOL_SIZE', '1001'],
  ['DATABASE_POOL_SIZE', 'ten'],
  ['DATABASE_STATEMENT_TIMEOUT', '5'],
  ['DATABASE_STATEMENT_TIMEOUT', '99ms'],
  ['DATABASE_STATEMENT_TIMEOUT', '601s'],
  ['DATABASE_PREPARED_STATEMENTS', 'yes'],
  ['DATABASE_URL', 'file:'],
  ['DATABASE_URL', 'file://elsewhere/listings.db'],
  ['DATABASE_URL', 'listings.db'],
  ['PUBLIC_URL', 'ftp://listings.example.com'],
  ['PUBLIC_URL', 'https://example.com/listings'],
  ['PUBLIC_URL', 'https://example.com/?a=b'],
  ['PUBLIC_URL', 'https://ada:secret@example.com'],
  ['PUBLIC_URL', 'listings.example.com'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_LEVEL', 'INFO'],
  ['LOG_PROBES', 'no'],
  ['METRICS_ADDRESS', '9464'],
  ['TRUSTED_PROXIES', 'foo'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', '10.0.0.0/'],
  ['TRUSTED_PROXIES', '::1/129'],
  ['TRUSTED_PROXIES', '10.0.0.1,'],
  ['REQUEST_LOG', 'on'],
  ['REQUEST_LOG', '7d'],
  ['REQUEST_LOG', '1GB'],
  ['REQUEST_LOG', '0d,1GB'],
  ['REQUEST_LOG', '7d,1KB'],
  ['REQUEST_LOG', '7d, 1GB'],
  ['RATE_LIMIT', 'on'],
  ['RATE_LIMIT', 'OFF'],
  ['RATE_LIMIT', '600'],
  ['RATE_LIMIT', '600/10'],
  ['RATE_LIMIT', '0/10s'],
  ['RATE_LIMIT', '600/0s'],
  ['RATE_LIMIT', '-1/10s'],
  ['RATE_LIMIT', '1.5/10s'],
  ['RATE_LIMIT', '600/10s '],
  ['RATE_LIMIT', '600/25h'],
  ['SMTP_URL', 'mail.example.com'],
  ['SMTP_URL', 'https://mail.example.com'],
  ['SMTP_URL', 'smtp://mail.example.com'],
  ['MAIL_FROM', 'listings@example.com'],
  ['ADMIN_EMAIL', 'ada@example.com'],
  ['ADMIN_PASSWORD', 'correct horse battery staple'],
  ['ADMIN_PASSWORD_FILE', '/nowhere/password'],
  ['WORKERS', '0'],
  ['WORKERS', '-1'],
  ['WORKERS', '2.5'],
  ['WORKERS', '257'],
  ['WORKERS', 'all'],
  ['HOST', 'no such host'],
];

describe('an invalid value stops the start with one line that names the variable', { concurrency: 2 }, () => {
  for (const [name, value] of WRONG_VALUES) {
    test(`${name}=${value}`, async (t) => {
      const directory = await directoryFor(t);
      assertStopped(await runCommandWarm(['serve'], { DATA_DIR: directory, PORT: '0', [name]: value }), name);
    });
  }
});

test('SMTP_URL without PUBLIC_URL stops the start, because mailed links need a base URL', async (t) => {
  const mail = { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'listings@example.com' };
  const stopped = await run(t, ['serve'], { DATA_DIR: await directoryFor(t), PORT: '0', ...mail });
  for (const name of ['SMTP_URL', 'PUBLIC_URL']) assertStopped(stopped, name);
});

test('an invalid value stops every other command before it creates a database', async (t) => {
  const directory = await directoryFor(t);
  assertStopped(await run(t, ['migrate'], { DATA_DIR: directory, LOG_LEVEL: 'loud' }), 'LOG_LEVEL');
  assert.deepEqual(await readdir(directory), []);
});

test('an unusable DATA_DIR stops the start with one line', async (t) => {
  const file = join(await directoryFor(t), 'file');
  await writeFile(file, '');
  for (const command of ['serve', 'migrate']) {
    const { code, stderr } = await run(t, [command], { DATA_DIR: join(file, 'data'), PORT: '0' });
    assert.match(stderr, /^error: [^\n]+\n$/);
    assert.ok(stderr.includes(file));
    assert.equal(code, 1);
  }
});

test('a port in use stops the start with one line', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  const port = String(typeof address === 'object' ? address?.port : '');
  const stopped = await run(t, ['serve'], { DATA_DIR: await directoryFor(t), PORT: port });
  assertStopped(stopped, 'PORT');
  assert.ok(stopped.stderr.includes(port));
  assert.match(stopped.stderr, /in use/);
});

test('valid values are accepted', async (t) => {
  const { log, end, url } = await serveFor(t, {
    DATA_DIR: await directoryFor(t),
    HOST: 'localhost',
    PUBLIC_URL: 'https://listings.example.com/',
    TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.1, ::1, fd00::/8',
    LOG_LEVEL: 'debug',
  });
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.equal(log[0]?.publicUrl, 'https://listings.example.com');
  assert.equal(await end(), 0);
});

const RATE_LIMITS: [value: string, policy: string | null][] = [
  ['', '"default";q=600;w=10'],
  ['100/1m', '"default";q=100;w=60'],
  ['5000/1h', '"default";q=5000;w=3600'],
  ['1/24h', '"default";q=1;w=86400'],
  ['off', null],
];
for (const [value, policy] of RATE_LIMITS) {
  test(`RATE_LIMIT=${value} sends ${policy ?? 'no'} RateLimit-Policy`, async (t) => {
    const settings = { DATA_DIR: await directoryFor(t), RATE_LIMIT: value };
    const { key } = await createTenantByCommand(settings);
    const { url } = await serveFor(t, settings);
    const { status, headers } = await fetch(`${url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    assert.deepEqual([status, headers.get('ratelimit-policy')], [200, policy]);
  });
}

/** Only a copy of the program may read `.env`; the original would read the developer's own. */
function environmentFor(program: string, settings: Record<string, string>) {
  return program === PROGRAM ? environment(settings) : bareEnvironment(settings);
}

async function copyMigrating(t: TestContext, manifest: object) {
  const copy = await copyProgram(t, manifest);
  return {
    ...copy,
    migrate: (settings: Record<string, string>) => run(t, ['migrate'], settings, copy.program, copy.elsewhere),
  };
}

const CLONE = { name: 'property-listings-repository' };

test('a clone reads .env from its root in any working directory, and the environment takes precedence', async (t) => {
  const { root, elsewhere, migrate } = await copyMigrating(t, CLONE);
  await writeFile(join(root, '.env'), 'DATA_DIR=from-file\n');
  await writeFile(join(elsewhere, '.env'), 'DATA_DIR=wrong\n');
  assert.equal((await migrate({})).stderr, `database: ${join(root, 'from-file', 'listings.db')}\n`);
  const named = await migrate({ DATA_DIR: 'from-environment' });
  assert.equal(named.stderr, `database: ${join(root, 'from-environment', 'listings.db')}\n`);
  assert.deepEqual(await readdir(elsewhere), ['.env']);
});

test('in a clone, relative paths start at its root', async (t) => {
  const { root, elsewhere, migrate } = await copyMigrating(t, CLONE);
  const paths: [Record<string, string>, string][] = [
    [{}, join(root, 'data', 'listings.db')],
    [{ DATA_DIR: 'a/b' }, join(root, 'a', 'b', 'listings.db')],
    [{ DATA_DIR: elsewhere }, join(elsewhere, 'listings.db')],
    [{ DATABASE_URL: 'file:c/other.db' }, join(root, 'c', 'other.db')],
    [{ DATABASE_URL: `file:${elsewhere}/d.db` }, join(elsewhere, 'd.db')],
    [{ DATABASE_URL: `file://${elsewhere}/e%20f.db` }, join(elsewhere, 'e f.db')],
    [{ DATABASE_URL: 'file:g.db', DATA_DIR: 'unused' }, join(root, 'g.db')],
  ];
  for (const [settings, path] of paths) {
    assert.equal((await migrate(settings)).stderr, `database: ${path}\n`, JSON.stringify(settings));
  }
  assert.ok(!(await readdir(root)).includes('unused'));
});

test('outside a clone, .env and relative paths belong to the current directory', async (t) => {
  const { root, elsewhere, migrate } = await copyMigrating(t, { name: 'the-operators-own-package' });
  await writeFile(join(root, '.env'), 'DATA_DIR=wrong\n');
  assert.equal((await migrate({})).stderr, `database: ${join(elsewhere, 'data', 'listings.db')}\n`);
  await writeFile(join(elsewhere, '.env'), 'DATA_DIR=from-file\n');
  assert.equal((await migrate({})).stderr, `database: ${join(elsewhere, 'from-file', 'listings.db')}\n`);
});

test('an invalid value in .env stops the start like one in the environment', async (t) => {
  const { root, migrate } = await copyMigrating(t, CLONE);
  await writeFile(join(root, '.env'), 'LOG_LEVEL=loud\n');
  assertStopped(await migrate({}), 'LOG_LEVEL');
});

test('on an outdated Node.js the program exits with one line', async (t) => {
  const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})`;
  const args = ['--import', old, PROGRAM, 'serve'];
  const { output, closed } = spawnFor(t, process.execPath, args, environment({ DATA_DIR: await directoryFor(t) }));
  assert.equal(await closed, 1);
  assert.match(output.stderr, /^property-listings needs Node\.js 26 or newer and this is 20\.1\.0[^\n]*\n$/);
  assert.equal(output.stdout, '');
});
