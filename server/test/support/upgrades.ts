import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../../../testkit/src/cleanup.ts';
import type { TestDatabase } from '../../../testkit/src/database.ts';
import { NDJSON } from '../../../testkit/src/imports.ts';
import { LANE_KINDS } from '../../../testkit/src/lane.ts';
import { assertKept } from '../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../testkit/src/mixed-load.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { bareEnvironment, PROGRAM, REPOSITORY, type ServeProcess } from '../../../testkit/src/process.ts';
import { directoryFor, serveFor, spawnFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { blocksOf } from './documents.ts';

const run = promisify(execFile);
const FIXTURES = join(import.meta.dirname, '../fixtures');
const LAST_RELEASE = 'property-listings-0.1.0.tgz';
const PATIENCE_MS = 300_000;
/** 100,000 in `npm run test:upgrade`. */
const LISTINGS = Number(process.env.UPGRADE_LISTINGS ?? 3_000);
const LANES = 4;

interface Machine {
  settings: Record<string, string>;
  service?: ServeProcess;
}

/** A service on one or more machines, which an operator upgrades by following `docs/upgrading.md`. */
export class Site {
  readonly #t: Cleanup;
  readonly #directory: string;
  readonly #machines: Machine[];
  /** The programs of the packages, by their files. */
  readonly #programs: Record<string, string>;
  #program: string;
  /** Functions that stand in for the programs of PostgreSQL, which are not installed here. */
  readonly #others: Record<string, () => Promise<void>>;

  /** A site with the last release, not yet started. */
  static async create(t: Cleanup, settings: Record<string, string>, machines = 1, others = {}): Promise<Site> {
    const directory = await directoryFor(t);
    const last = await unpackLastRelease(join(directory, 'last'));
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'server/package.json'), 'utf8'));
    const programs = { [LAST_RELEASE]: last, [`property-listings-${version}.tgz`]: PROGRAM };
    const ports = await Promise.all(Array.from({ length: machines }, findFreePort));
    return new Site(
      t,
      directory,
      ports.map((port) => ({ settings: { ...settings, PORT: `${port}` } })),
      programs,
      others,
    );
  }

  private constructor(
    t: Cleanup,
    directory: string,
    machines: Machine[],
    programs: Record<string, string>,
    others: Record<string, () => Promise<void>>,
  ) {
    this.#t = t;
    this.#directory = directory;
    this.#machines = machines;
    this.#programs = programs;
    this.#others = others;
    this.#program = programs[LAST_RELEASE] ?? '';
  }

  get urls(): string[] {
    return this.#machines.map(({ settings }) => `http://127.0.0.1:${settings.PORT}`);
  }

  /** Changes a setting of all machines. */
  set(name: string, value: string): void {
    for (const { settings } of this.#machines) settings[name] = value;
  }

  /** Follows the commands below a heading of the guide. */
  async follow(heading: string): Promise<void> {
    const guide = await readFile(join(REPOSITORY, 'docs/upgrading.md'), 'utf8');
    const section = guide.split(/^(?=#+ )/m).find((text) => text.startsWith(heading)) ?? '';
    const lines = blocksOf(section).flatMap(({ content }) => content.trim().split('\n'));
    assert.ok(lines.length > 0, `the guide has commands below "${heading}"`);
    for (const line of lines) await this.#run(line);
  }

  /** Runs a command of the installed release. @returns its output */
  async command(args: string[]): Promise<string> {
    const env = bareEnvironment(this.#machines[0]?.settings ?? {});
    const { closed, output } = spawnFor(this.#t, process.execPath, [this.#program, ...args], env, this.#directory);
    assert.equal(await closed, 0, `${args.join(' ')}: ${output.stderr}`);
    return output.stdout;
  }

  /** Starts the service on the first machine where it does not run. */
  async start(): Promise<void> {
    const machine = this.#machines.find(({ service }) => service === undefined);
    assert.ok(machine !== undefined, 'the service is stopped on a machine');
    machine.service = await serveFor(this.#t, machine.settings, { program: this.#program, cwd: this.#directory });
  }

  async startAll(): Promise<void> {
    while (this.#machines.some(({ service }) => service === undefined)) await this.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#machines.map(stopMachine));
  }

  async #run(line: string): Promise<void> {
    const [program = '', ...words] = line.replace('sudo -u postgres ', '').split(' ');
    const [first = '', second = ''] = words;
    if (program === 'umask') return;
    if (program === 'npx') return await this.#runOwn(words.slice(1));
    if (program === 'npm') {
      this.#program = this.#programs[basename(second)] ?? assert.fail(`there is no release ${second}`);
      return;
    }
    if (program === 'systemctl') return await this.#control(first);
    await (this.#others[program] ?? assert.fail(`${program} is not known`))();
  }

  async #runOwn(args: string[]): Promise<void> {
    if (args.join(' ') !== 'check --ready') return void (await this.command(args));
    const isReady = async () => (await fetch(`${this.urls[0]}/readyz`).catch(() => undefined))?.ok;
    await until('the service is ready', isReady, PATIENCE_MS);
    await this.command(args);
  }

  async #control(action: string): Promise<void> {
    if (action === 'stop') return await this.stop();
    if (action === 'start') return await this.start();
    assert.equal(action, 'restart');
    for (const machine of this.#machines) {
      await stopMachine(machine);
      await this.start();
    }
  }
}

async function stopMachine(machine: Machine): Promise<void> {
  assert.equal(await machine.service?.end(), 0);
  delete machine.service;
}

/** Unpacks the last release. It uses the repository's dependencies, which have the same versions. */
async function unpackLastRelease(directory: string): Promise<string> {
  await mkdir(directory);
  await run('tar', ['-xzf', join(FIXTURES, LAST_RELEASE), '-C', directory]);
  await symlink(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
  return join(directory, 'package/bin/property-listings.js');
}

/**
 * Upgrades a site while clients change and read listings, and compares the stored listings with the responses that the
 * clients got. Then goes back to the last release, which must have everything that was stored before the upgrade.
 */
export async function tryUpgrade(
  site: Site,
  database: Pick<TestDatabase, 'sql' | 'accountKey'>,
  { forth, back }: { forth: readonly string[]; back: string },
): Promise<void> {
  await site.startAll();
  const [large, busy] = [await createTenant(site), await createTenant(site)];
  const [url = ''] = site.urls;
  const before = await importListings(url, large.key);
  const load = startMixedLoad(site.urls, busy.key, LANES);
  const work = async () => {
    const turns = load.turns.map((count) => count + LANE_KINDS);
    const isEnough = () => load.turns.every((count, lane) => count >= (turns[lane] ?? 0));
    assert.ok(await load.reaches(isEnough, PATIENCE_MS), 'clients read and write');
  };
  await work();
  for (const heading of forth) {
    await site.follow(heading);
    await site.startAll();
    await work();
  }
  await load.pause();
  await assertKept(url, busy, database, load.ledger);
  await load.finish();
  const after = await listAll(url, large.key);
  assert.deepEqual(after, before);

  const headers = { Authorization: `Bearer ${large.key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ address: 'After the upgrade', beds: 1, baths: 1 });
  assert.equal((await fetch(`${url}/v1/listings`, { method: 'POST', headers, body })).status, 201);
  await site.follow(back);
  await site.startAll();
  assert.deepEqual(await listAll(url, large.key), before);
}

async function createTenant(site: Site): Promise<{ accountId: string; key: string }> {
  const { id } = JSON.parse(await site.command(['accounts', 'create', '--name', 'Ada', '--json']));
  const { key } = JSON.parse(await site.command(['keys', 'create', '--account', id, '--name', 'Test', '--json']));
  return { accountId: id, key };
}

/** @returns the imported listings as lines of NDJSON */
async function importListings(url: string, key: string): Promise<string[]> {
  const lines = Array.from({ length: LISTINGS }, (_, index) =>
    JSON.stringify({
      externalId: `MLS-${index}`,
      address: `${index} Elm Street`,
      beds: index % 7,
      baths: 1,
      city: 'Austin',
    }),
  );
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': NDJSON };
  const response = await fetch(`${url}/v1/imports`, { method: 'POST', headers, body: lines.join('\n') });
  assert.equal(Object(await response.json()).created, LISTINGS);
  return await listAll(url, key);
}

async function listAll(url: string, key: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/listings`, { headers: { Authorization: `Bearer ${key}`, Accept: NDJSON } });
  const lines = (await response.text()).trimEnd().split('\n');
  assert.equal(JSON.parse(lines.pop() ?? '').count, LISTINGS);
  return lines;
}
