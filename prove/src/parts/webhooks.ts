import assert from 'node:assert/strict';
import { createPostgresDatabase } from '../../../testkit/src/database.ts';
import { type MixedLoad, startMixedLoad } from '../../../testkit/src/mixed-load.ts';
import type { ServeProcess } from '../../../testkit/src/process.ts';
import { createRandom, type Random } from '../../../testkit/src/random.ts';
import { until } from '../../../testkit/src/until.ts';
import { atOnce } from '../at-once.ts';
import type { Outcome, Part, Patch, Trial } from '../part.ts';
import { createTenant, postgresFor, readJson, send, serve, withPatches } from '../service.ts';
import { readEvents } from './backups/work.ts';
import { killAtOnce, killSome } from './crashes-sqlite/crash.ts';
import { Receiver } from './webhooks/receiver.ts';

const SIZES = {
  full: { endpoints: 20, kills: 25, restarts: 15, away: 5_000 },
  small: { endpoints: 4, kills: 2, restarts: 0, away: 200 },
};
const LANES = 4;
/** The maximum number of acknowledged writes between two failures. */
const WRITES_MAX = 40;
const PATIENCE_MS = 180_000;
/** Longer than a service needs to take over the endpoints of another one. */
const SILENCE_MS = 30_000;
/** Retries every second, because the normal delays would make the trial take hours. */
const SOON: Patch = [
  'RETRY_DELAYS_MS',
  '5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR',
  '...Array(10_000).fill(SECOND)',
];

/** `receiver.ts` checks signatures, ids, and order. At the end, every receiver must have every event. */
export const webhooks: Part = {
  name: 'webhooks',
  title: 'Webhooks',
  promise:
    'Every endpoint gets every event at least once, signed and in order for each listing, whatever fails in between.',
  async run(trial) {
    const random = createRandom(trial.seed);
    const hurried = withPatches(trial, [SOON]);
    const courses = [await tryOnSqlite(hurried, random)];
    if (SIZES[trial.size].restarts > 0) courses.push(await tryOnPostgres(hurried, random));
    return describe(trial, courses);
  },
};

/** The numbers of events, attempts, and repeated deliveries on one engine. */
type Course = Awaited<ReturnType<typeof tryCourse>>;

async function tryOnSqlite(trial: Trial, random: Random): Promise<Course> {
  const settings = { WEBHOOK_ALLOW: '127.0.0.0/8', WORKERS: '2' };
  let service = await serve(trial, settings);
  const { key } = await createTenant(trial, settings);
  const urls = [service.url];
  return tryCourse(trial, random, { urls, key, failures: SIZES[trial.size].kills }, async (count) => {
    // The first time, kill the whole service, which must then read the stored retries again.
    if (!(await (count === 1 ? killAtOnce(service) : killSome(service, random)))) return;
    service = await serve(trial, settings);
    urls[0] = service.url;
  });
}

/** Two services share a database, so that one takes over the endpoints of the other when it fails. */
async function tryOnPostgres(trial: Trial, random: Random): Promise<Course> {
  const server = await postgresFor(trial);
  const { url } = await createPostgresDatabase(server.url);
  const settings = { WEBHOOK_ALLOW: '127.0.0.0/8', DATABASE_URL: url };
  const { key } = await createTenant(trial, settings);
  const start = () => serve(trial, settings);
  const services: ServeProcess[] = [await start(), await start()];
  const urls = services.map((service) => service.url);
  return tryCourse(trial, random, { urls, key, failures: SIZES[trial.size].restarts }, async () => {
    const index = random.upTo(services.length);
    const service = services[index];
    if (service === undefined) {
      await server.halt('fast');
      await server.start();
      return;
    }
    await killAtOnce(service);
    const next = await start();
    services[index] = next;
    urls[index] = next.url;
  });
}

/** Causes failures repeatedly under load, and waits until each endpoint has received every event. */
async function tryCourse(
  trial: Trial,
  random: Random,
  { urls, key, failures }: { urls: readonly string[]; key: string; failures: number },
  fail: (count: number) => Promise<void>,
) {
  const { endpoints, away } = SIZES[trial.size];
  const start = () => Receiver.start(trial, createRandom(random.upTo(2 ** 31)));
  const receivers = await atOnce(endpoints, start);
  for (const receiver of receivers) {
    const { status, text } = await send(urls[0] ?? '', key, 'POST', '/webhooks', { url: receiver.url });
    assert.equal(status, 201, text);
    receiver.secret = JSON.parse(text).secret;
  }
  const [absent] = receivers;
  assert.ok(absent);
  absent.isAway = true;

  const load = startMixedLoad(urls, key, LANES);
  // Storing failed attempts moves the endpoint's position forward.
  const isStored = async () => {
    const { data } = await readJson<{ data: { url: string; position: number }[] }>(urls[0] ?? '', '/webhooks', key);
    return data.some(({ url, position }) => url === absent.url && position > 0);
  };
  await until('failed attempts to reach the unreachable endpoint are stored', isStored, PATIENCE_MS);
  for (let count = 1; count <= failures; count += 1) {
    await work(load, 1 + random.upTo(WRITES_MAX));
    await fail(count);
    if (count % 10 === 0) trial.say(`${count} of ${failures} failures`);
  }
  await work(load, Math.max(0, away - load.told('acknowledged')));
  absent.isAway = false;
  await load.finish();

  const sequences = (await readEvents(urls[0] ?? '', key)).map(({ sequence }) => sequence);
  trial.say(`waiting for ${sequences.length} events at ${endpoints} endpoints`);
  const hasAll = ({ delivered, fault }: Receiver) => fault !== undefined || delivered.size >= sequences.length;
  const finishedMs = performance.now();
  const areSilent = () =>
    receivers.every(({ lastMs }) => performance.now() - Math.max(lastMs, finishedMs) > SILENCE_MS);
  await until('every event arrives', () => receivers.every(hasAll) || areSilent(), 2 * PATIENCE_MS);
  for (const [index, { fault, delivered }] of receivers.entries()) {
    assert.equal(fault, undefined, `endpoint ${index}: ${fault}`);
    const missing = sequences.filter((sequence) => !delivered.has(sequence));
    const some = missing.slice(0, 9);
    assert.equal(missing.length, 0, `${missing.length} events never arrived at endpoint ${index}: ${some}`);
  }
  const sum = (name: 'attempts' | 'repeated') => receivers.reduce((total, each) => total + each[name], 0);
  return { events: sequences.length, attempts: sum('attempts'), repeated: sum('repeated') };
}

/** Waits for this many acknowledged writes. Every `WRITES_MAX` of them must succeed within `PATIENCE_MS`. */
async function work({ told, reaches }: MixedLoad, writes: number): Promise<void> {
  const end = told('acknowledged') + writes;
  for (let wanted = 0; wanted < end; ) {
    wanted = Math.min(end, told('acknowledged') + WRITES_MAX);
    if (!(await reaches(() => told('acknowledged') >= wanted, PATIENCE_MS))) throw new Error('the load does not run');
  }
}

function describe({ size }: Trial, courses: Course[]): Outcome {
  const { endpoints, kills, restarts, away } = SIZES[size];
  const sum = (name: keyof Course) => courses.reduce((total, each) => total + each[name], 0).toLocaleString('en');
  return {
    tried: `${endpoints} endpoints that fail at random; ${kills} × \`kill -9\` of a service or one of its processes on SQLite; ${restarts} × \`kill -9\` of one of two services or a restart of PostgreSQL; one endpoint unreachable for ${away.toLocaleString('en')} writes`,
    figure: `0 of ${sum('events')} events missing, in the wrong order, or with a wrong signature at any endpoint`,
    figures: [
      ['attempts', sum('attempts')],
      ['repeated deliveries', sum('repeated')],
    ],
  };
}
