import { openRaw, type RawConnection, type RawReply } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { EventHub } from '../../src/domain/writing/event-hub.ts';
import type { Statement } from '../../src/storage/database.ts';

/** Reads by a service since `countReads`. */
export interface Reads {
  /** Key lookups; each request starts with one. */
  keys: number;
  others: number;
}

/** Counts a service's reads after this call. */
export function countReads({ database }: TestService): Reads {
  const reads: Reads = { keys: 0, others: 0 };
  const { execute } = database;
  database.execute = <P, R>(statement: Statement<P, R>, parameters: P) => {
    if (Object.hasOwn(Object(parameters), 'hash')) reads.keys += 1;
    else reads.others += 1;
    return execute(statement, parameters);
  };
  return reads;
}

/** The numbers of waits that have started, and of those that have ended, in this process. */
let waits = 0;
let wakes = 0;
const { wait } = EventHub.prototype;
EventHub.prototype.wait = function (...parameters) {
  waits += 1;
  return wait.apply(this, parameters).finally(() => {
    wakes += 1;
  });
};

/** Requests started at a time; a thousand at once might get 503. */
const BEGINNERS_MAX = 50;

/** Starts long polls, each on its own connection, and resolves when all of them wait. */
export async function hold(service: TestService, tenants: Tenant[], query: string): Promise<Promise<RawReply>[]> {
  const replies: Promise<RawReply>[] = [];
  for (let start = 0; start < tenants.length; start += BEGINNERS_MAX) {
    const some = tenants.slice(start, start + BEGINNERS_MAX);
    const wanted = waits + some.length;
    replies.push(...some.map((tenant) => requestEvents(service, tenant, query)));
    await until('all requests wait', () => waits === wanted);
  }
  return replies;
}

async function requestEvents(service: TestService, tenant: Tenant, query: string): Promise<RawReply> {
  using connection = await openRaw(service.url);
  connection.send(requestText('GET', `/v1/events?${query}`, tenant.key));
  return await connection.readReply();
}

/** Starts a long poll on a connection with other requests, and resolves when it waits. */
export async function holdOn(connection: RawConnection, tenant: Tenant): Promise<void> {
  const wanted = waits + 1;
  connection.send(requestText('GET', '/v1/events?wait=60', tenant.key));
  await until('the request waits', () => waits === wanted);
}

/** Resolves when all waits have ended. */
export async function untilAllWoken(): Promise<void> {
  await until('all requests are woken', () => wakes === waits);
}

/** Whether any long poll waits in this process. */
export function isAnyHeld(): boolean {
  return waits > wakes;
}
