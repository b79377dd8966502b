import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import {
  bareEnvironment,
  createTenantByCommand,
  environment,
  PROGRAM,
  REPOSITORY,
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
  assert.doesNotMatch(stderr, /hidden/);
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
  ['DATABASE_URL', 'postgres:/ada:hidden@127.0.0.1:1/listings'],
  ['DATABASE_URL', 'postgres:ada:hidden@127.0.0.1:1/listings'],
  ['DATABASE_URL', 'postgres:///ada:hidden@127.0.0.1:1/listings'],
  ['DATABASE_URL', 'postgres:///ada:hidden'],
  ['DATABASE_URL', 'postgres://ada:1/hidden@127.0.0.1:1/listings'],
  ['DATABASE_URL', 'postgres://ada@127.0.0.1:1/listings#hidden'],
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
  ['PUBLIC_URL', 'https://ada:hidden@example.com'],
  ['PUBLIC_URL', 'postgres://ada:1/hidden@example.com'],
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
  ['DATABASE_URL_FILE', '/nowhere/url'],
  ['DATABASE_URL_FILE', 'postgres://ada:hidden@127.0.0.1/listings'],
  ['SMTP_URL_FILE', '/nowhere/url'],
  ['SECRETS_KEY_FILE', '/nowhere/key'],
  ['SECRETS_KEY_FILE', 'hidden'],
  ['SECRETS_KEY_FILE', '/etc/hostname'],
  ['MAP_TILES_URL', 'https://tiles.example.com/'],
  ['MAP_TILES_URL', 'https://tiles.example.com/?api_key=hidden'],
  ['MAP_TILES_URL', 'https://ada:hidden@tiles.example.com/{z}/{x}/{y}.png'],
  ['MAP_TILES_URL', 'https://tiles.example.com/{z}/{x}/{y}.{ext}'],
  ['MAP_TILES_URL', 'https://tiles-{s}.example.com/{z}/{x}/{y}.png'],
  ['MAP_TILES_URL', 'https://a;sandbox/{z}/{x}/{y}.png'],
  ['MAP_TILES_URL', 'ftp://tiles.example.com/{z}/{x}/{y}.png'],
  ['MAP_ATTRIBUTION', '© Example'],
  ['WEBHOOKS', 'false'],
  ['WEBHOOK_ALLOW', 'example.com'],
  ['WEBHOOK_ALLOW', '10.0.0.0/33'],
  ['BACKUP_SCHEDULE', 'daily'],
  ['BACKUP_SCHEDULE', 'daily 25:00'],
  ['BACKUP_SCHEDULE', 'weekly 02:30'],
  ['BACKUP_SCHEDULE', 'weekly someday 02:30'],
  ['BACKUP_SCHEDULE', '30 2 * * *'],
  ['BACKUP_SCHEDULE', 'hourly'],
  ['BACKUP_DIR', '/nowhere'],
  ['BACKUP_KEEP', '7'],
  ['BACKUP_KEEP', '0 daily'],
  ['BACKUP_KEEP', '7 daily, 3 daily'],
  ['BACKUP_KEEP', '7 yearly'],
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

test('BACKUP_SCHEDULE for PostgreSQL stops the start with advice, before the database is opened', async (t) => {
  const backups = { BACKUP_SCHEDULE: 'hourly', BACKUP_DIR: await directoryFor(t) };
  const stopped = await run(t, ['serve'], { DATABASE_URL: 'postgres://127.0.0.1:1/listings', PORT: '0', ...backups });
  assertStopped(stopped, 'pg_dump');
});

test('the log says which version listens with which settings, without secrets', async (t) => {
  const directory = await directoryFor(t);
  const key = join(directory, 'key');
  await writeFile(key, `${randomBytes(32).toString('base64')}\n`);
  const { log } = await serveFor(t, {
    DATA_DIR: directory,
    PUBLIC_URL: 'https://listings.example.com',
    SMTP_URL: 'smtps://ada:letter@mail.example.com/?pass=box',
    MAIL_FROM: 'listings@example.com',
    ADMIN_EMAIL: 'ada@example.com',
    ADMIN_PASSWORD: 'a long enough sentence',
    SECRETS_KEY_FILE: key,
    WEBHOOK_ALLOW: '10.0.0.0/8',
    MAP_TILES_URL: 'https://{s}.tiles.example.com/{z}/{x}/{y}.png?api_key=paper',
  });
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'server/package.json'), 'utf8'));
  const line = log.find(({ msg }) => msg === 'listening');
  assert.equal(line?.version, version);
  const { PORT, ...settings } = Object(line?.settings);
  assert.deepEqual(settings, {
    DATA_DIR: directory,
    PUBLIC_URL: 'https://listings.example.com',
    ADMIN_EMAIL: 'ada@example.com',
    ADMIN_PASSWORD: '***',
    SMTP_URL: 'smtps://ada:***@mail.example.com/?***',
    MAIL_FROM: 'listings@example.com',
    SECRETS_KEY_FILE: key,
    WEBHOOK_ALLOW: '10.0.0.0/8',
    MAP_TILES_URL: 'https://{s}.tiles.example.com/{z}/{x}/{y}.png?***',
  });
  assert.equal(PORT, '0');
  assert.doesNotMatch(JSON.stringify(log), /letter|box|sentence|paper/);
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
  defer(t, () => other.close());
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

test('a .env that cannot be read stops the start with the reason', async (t) => {
  const { root, migrate } = await copyMigrating(t, CLONE);
  await mkdir(join(root, '.env'));
  const { code, stderr } = await migrate({});
  assert.match(stderr, /^error: Cannot read [^\n]*\.env: illegal operation on a directory\. [^\n]+\n$/);
  assert.equal(code, 1);
});

test('secrets can be in files or systemd credentials, but only in one place', async (t) => {
  const { root, elsewhere, migrate } = await copyMigrating(t, CLONE);
  const database = join(elsewhere, 'secret.db');
  await writeFile(join(root, 'url'), `file:${database}\n`);
  assert.equal((await migrate({ DATABASE_URL_FILE: 'url' })).stderr, `database: ${database}\n`);
  const credentials = join(elsewhere, 'credentials');
  await mkdir(credentials);
  await writeFile(join(credentials, 'DATABASE_URL'), `file:${database}`);
  const given = { CREDENTIALS_DIRECTORY: credentials };
  assert.equal((await migrate(given)).stderr, `database: ${database}\n`);
  // As with .env, an empty variable selects the default.
  const standard = join(root, 'data', 'listings.db');
  assert.equal((await migrate({ ...given, DATABASE_URL: '' })).stderr, `database: ${standard}\n`);
  for (const twice of [
    { DATABASE_URL: 'file:a.db', DATABASE_URL_FILE: 'url' },
    { ...given, DATABASE_URL: 'file:a.db' },
    { ...given, DATABASE_URL_FILE: 'url' },
  ]) {
    const stopped = await migrate(twice);
    assertStopped(stopped, 'DATABASE_URL');
    assert.match(stopped.stderr, /^error: Set DATABASE_URL(_FILE)? or .*DATABASE_URL(_FILE)?, not both\.\n$/);
  }
  await writeFile(join(credentials, 'SECRETS_KEY'), 'not a key');
  assertStopped(await migrate(given), 'SECRETS_KEY_FILE');
});

test('on an outdated Node.js the program exits with one line', async (t) => {
  const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})`;
  const args = ['--import', old, PROGRAM, 'serve'];
  const { output, closed } = spawnFor(t, process.execPath, args, environment({ DATA_DIR: await directoryFor(t) }));
  assert.equal(await closed, 1);
  assert.match(output.stderr, /^property-listings requires Node\.js 26\.4 or newer, and this is 20\.1\.0[^\n]*\n$/);
  assert.equal(output.stdout, '');
});
