import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../testkit/src/until.ts';
import { createCall, endlessCreates } from '../creates.ts';
import { drive } from '../driver.ts';
import { describeCommit, describeMachine, type Machine } from '../machine.ts';
import { askDuring } from '../neighbours.ts';
import { type Place, say } from '../place.ts';
import { isQuiet, watchBusy } from '../process-stats.ts';
import { type Call, serializeCall } from '../requests.ts';
import { measureLoad } from '../rounds.ts';
import { fill } from '../seed.ts';
import { type Account, createAccounts, type Service, startService } from '../service.ts';
import { median } from '../statistics.ts';
import { call, createEndpoint, driveCreates, hook } from './endpoints.ts';
import { ACCOUNTS, type Fairness, measureFairness } from './fairness.ts';
import { Sink } from './sink.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The number of stored events, which is more than an endpoint receives in `COUNT_SECONDS`. */
const EVENTS = 40_000;
const COUNT_SECONDS = 10;
const EVENTS_PER_SECOND = 100;
const WARM_UP_SECONDS = 2;
/** How often a round compares the latency of creates with and without an endpoint. */
const TURNS = 5;
const OPEN_SETTINGS = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/**
 * One line of the results file. Figures are medians of the rounds, and ratios are medians of the rounds'
 * ratios. `fairness` is measured once.
 */
export type WebhookResults = {
  date: string;
  commit: string;
  machine: Machine;
  rounds: number;
  deliveriesPerSecond: number;
  /** The p99 of another account's lists and creates while deliveries are sent. */
  neighboursP99Ms: number[];
  /** The time from the request that creates a listing until its event arrives. */
  arrivalP50Ms: number;
  arrivalP99Ms: number;
  /**
   * How an endpoint affects creates, which are slower if a ratio is below 1. `latencyRatio` is the p50 at a fixed rate
   * without an endpoint, divided by that with one. `throughputRatio` is creates per second with an endpoint, divided
   * by those without one.
   */
  latencyRatio: number;
  throughputRatio: number;
  fairness: Fairness;
  isQuiet: boolean;
};

type Round = Omit<WebhookResults, 'date' | 'commit' | 'machine' | 'rounds' | 'fairness'>;

/** Measures webhooks to endpoints in this process. @throws at the first unexpected response */
export async function runWebhookBench(place: Place): Promise<WebhookResults> {
  const date = new Date().toISOString();
  mkdirSync(join(place.directory, 'data'));
  const at = { ...place, settings: OPEN_SETTINGS };
  say(`creating accounts and ${EVENTS} events`);
  const accounts = await createAccounts(at, ACCOUNTS + 1);
  const [filled] = accounts;
  if (filled === undefined) throw new Error('The bench needs accounts');
  await fill(at, Array<Account>(EVENTS).fill(filled));
  const service = await startService(at);
  const sink = new Sink();
  const rounds: Round[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds}`);
    const measured = await measureRound(service, accounts, sink, round, place.seconds);
    say(JSON.stringify(measured));
    rounds.push(measured);
  }
  await service.stop();
  const of = (name: keyof Omit<Round, 'neighboursP99Ms' | 'isQuiet'>) => median(rounds.map((round) => round[name]));
  const results = {
    ...{ date, commit: describeCommit(ROOT), machine: describeMachine(), rounds: place.rounds },
    deliveriesPerSecond: of('deliveriesPerSecond'),
    neighboursP99Ms: [0, 1].map((index) => median(rounds.map(({ neighboursP99Ms }) => neighboursP99Ms[index] ?? 0))),
    ...{ arrivalP50Ms: of('arrivalP50Ms'), arrivalP99Ms: of('arrivalP99Ms') },
    ...{ latencyRatio: of('latencyRatio'), throughputRatio: of('throughputRatio') },
    fairness: await measureFairness(at, sink, accounts),
    isQuiet: rounds.every((round) => round.isQuiet),
  };
  sink.close();
  return results;
}

async function measureRound(
  service: Service,
  [filled, watched, compared, other]: Account[],
  sink: Sink,
  round: number,
  seconds: number,
): Promise<Round> {
  if (!filled || !watched || !compared || !other) throw new Error('The bench needs four accounts');
  const endWatch = watchBusy(service.pid, service.cores);
  const counted = await countDeliveries(service, filled, other, sink);
  const arrival = await measureArrival(service, watched, sink, round);
  const ratios = await compareCreates(service, watched, compared, sink, seconds);
  return { ...counted, ...arrival, ...ratios, isQuiet: isQuiet(endWatch()) };
}

/** Makes the service send all stored events to one endpoint while another account lists and creates listings. */
async function countDeliveries(service: Service, filled: Account, other: Account, sink: Sink) {
  const id = await createEndpoint(service, filled, await sink.open('healthy'), { enabled: false });
  const list: Call = { method: 'GET', path: '/v1/listings?limit=20', key: other.key };
  await call(service, createCall(other.key, JSON.stringify({ address: '1 Elm Street', beds: 1, baths: 1 })), 201);
  const lists = { request: serializeCall(service.port, list), expected: { status: 200, contains: [] } };
  const load = [{ service: () => () => lists }, { service: (port: number) => endlessCreates(port, other.key) }];
  const { p99sMs, result } = await askDuring(service, load, async () => {
    await call(service, hook(filled, `/${id}/replay`, { after: 0 }));
    await call(service, { ...hook(filled, `/${id}`, { enabled: true }), method: 'PATCH' });
    await sleep(WARM_UP_SECONDS * 1000);
    sink.reset();
    await sleep(COUNT_SECONDS * 1000);
    return sink.count / COUNT_SECONDS;
  });
  await call(service, { ...hook(filled, `/${id}`, undefined), method: 'DELETE' }, 204);
  return { deliveriesPerSecond: result, neighboursP99Ms: p99sMs };
}

/** Creates listings at a fixed rate, and measures when their events arrive. */
async function measureArrival(service: Service, account: Account, sink: Sink, round: number) {
  const id = await createEndpoint(service, account, await sink.open('healthy'));
  sink.reset();
  const settings = { sink, perSecond: EVENTS_PER_SECOND, seconds: COUNT_SECONDS, name: `R${round}` };
  const { requests } = await driveCreates(service, [account], settings);
  await until('every event arrives', () => sink.count >= requests);
  await call(service, { ...hook(account, `/${id}`, undefined), method: 'DELETE' }, 204);
  return { arrivalP50Ms: sink.percentileMs(50), arrivalP99Ms: sink.percentileMs(99) };
}

/** Compares creates in an account that has an endpoint with creates in one that does not, in turn. */
async function compareCreates(service: Service, watched: Account, compared: Account, sink: Sink, seconds: number) {
  const id = await createEndpoint(service, watched, await sink.open('healthy'), { enabled: false });
  const paced = async ({ key }: Account) => {
    const next = endlessCreates(service.port, key);
    return (await drive({ port: service.port, connections: 1, perSecond: EVENTS_PER_SECOND, next, seconds })).p50Ms;
  };
  const full = async ({ key }: Account) =>
    (await measureLoad(service, endlessCreates(service.port, key), seconds)).perSecond;
  const enable = (enabled: boolean) => call(service, { ...hook(watched, `/${id}`, { enabled }), method: 'PATCH' });
  const latencyRatios: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const without = await paced(compared);
    await enable(true);
    latencyRatios.push(without / (await paced(watched)));
    await enable(false);
  }
  const without = await full(compared);
  await enable(true);
  const withOne = await full(watched);
  await call(service, { ...hook(watched, `/${id}`, undefined), method: 'DELETE' }, 204);
  return { latencyRatio: median(latencyRatios), throughputRatio: withOne / without };
}
