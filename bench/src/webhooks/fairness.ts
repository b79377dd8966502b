import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { cycle } from '../cycle.ts';
import { askDuring } from '../neighbours.ts';
import { type Place, say } from '../place.ts';
import { isQuiet, residentBytesOf, watchBusy, watchPeak } from '../process-stats.ts';
import { sendCall, serializeCall } from '../requests.ts';
import { type Account, startService } from '../service.ts';
import { createEndpoint, driveCreates } from './endpoints.ts';
import type { Sink } from './sink.ts';

export const ACCOUNTS = 50;
/** The endpoints of each account: 1,000 in total, which is the maximum for 50 accounts. */
const KINDS = { healthy: 14, slow: 2, hanging: 2, refusing: 2 };
const PER_ACCOUNT = 20;
export const ENDPOINTS = ACCOUNTS * PER_ACCOUNT;
const EVENTS_PER_SECOND = 50;
const SECONDS = 60;
/** How long to wait for the last events. */
const REST_MS = 5_000;

/** How a service performs with 1,000 endpoints, of which 300 hang, reject connections, or are slow. */
export type Fairness = {
  /** Deliveries to healthy endpoints. */
  deliveriesPerSecond: number;
  arrivalP50Ms: number;
  arrivalP99Ms: number;
  /** Events that did not arrive at healthy endpoints. */
  missing: number;
  /** The p99 of lists of an account without endpoints. */
  getP99Ms: number;
  /** The p99 of the creates whose events are delivered. */
  createP99Ms: number;
  /** The share of a core that the service used. */
  busy: number | undefined;
  memoryGrowthBytesPerEndpoint: number;
  isQuiet: boolean;
};

/** @param accounts an account without endpoints, followed by those with endpoints */
export async function measureFairness(
  place: Place,
  sink: Sink,
  [other, ...accounts]: readonly Account[],
): Promise<Fairness> {
  say(`creating ${ENDPOINTS} endpoints`);
  if (other === undefined || accounts.length !== ACCOUNTS) throw new Error(`The bench needs ${ACCOUNTS + 1} accounts`);
  const service = await startService(place);
  const memoryBefore = residentBytesOf(service.pid) ?? Number.NaN;
  const refusing = `http://127.0.0.1:${await findFreePort()}/hooks`;
  for (const account of accounts)
    for (const [kind, count] of Object.entries(KINDS) as [keyof typeof KINDS, number][])
      for (let index = 0; index < count; index += 1)
        await createEndpoint(service, account, kind === 'refusing' ? refusing : await sink.open(kind));
  sink.reset();
  say(`creating ${EVENTS_PER_SECOND} events a second`);
  const list = { method: 'GET', path: '/v1/listings?limit=20', key: other.key } as const;
  const expected = { status: 200, contains: [(await sendCall(service.port, list)).body] };
  const lists = { request: serializeCall(service.port, list), expected };
  const endWatch = watchBusy(service.pid, service.cores);
  const work = () =>
    driveCreates(service, accounts, { sink, perSecond: EVENTS_PER_SECOND, seconds: SECONDS, name: 'FAIR' });
  const { result, peakBytes } = await watchPeak(service.pid, () =>
    askDuring(service, [{ service: () => cycle([lists]) }], work),
  );
  const deliveriesPerSecond = sink.count / SECONDS;
  const busy = endWatch();
  await sleep(REST_MS);
  await service.stop();
  return {
    deliveriesPerSecond,
    arrivalP50Ms: sink.percentileMs(50),
    arrivalP99Ms: sink.percentileMs(99),
    missing: result.result.requests * KINDS.healthy - sink.count,
    getP99Ms: result.p99sMs[0] ?? Number.NaN,
    createP99Ms: result.result.p99Ms,
    busy: busy.server,
    memoryGrowthBytesPerEndpoint: (peakBytes - memoryBefore) / ENDPOINTS,
    isQuiet: isQuiet(busy),
  };
}
