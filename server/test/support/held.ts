import { openRaw, type RawConnection, type RawReply } from '../../../testkit/src/raw.ts';
import { requestText } from '../../../testkit/src/raw-http.ts';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { accountWrites, EventHub } from '../../src/domain/event-hub.ts';
import type { Statement } from '../../src/storage/database.ts';

/** What a service has read since somebody began to count. */
export interface Reads {
  /** Keys that were looked up, as each request does first. */
  keys: number;
  others: number;
}

/** Counts the statements that a service reads with, from now on. */
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

/** How many times a request has begun to wait in this process, and was woken. */
let waits = 0;
let wakes = 0;
const { wait } = EventHub.prototype;
EventHub.prototype.wait = function (...parameters) {
  waits += 1;
  return wait.apply(this, parameters).finally(() => {
    wakes += 1;
  });
};

/** So many begin at a time: whoever comes with a thousand at once may be put off. */
const BEGINNERS_MAX = 50;

/** Begins requests for events, each on a connection of its own, and resolves once all of them wait. */
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

/** Begins a request on a connection that may have others, and resolves once it waits. */
export async function holdOn(connection: RawConnection, tenant: Tenant): Promise<void> {
  const wanted = waits + 1;
  connection.send(requestText('GET', '/v1/events?wait=60', tenant.key));
  await until('the request waits', () => waits === wanted);
}

/** Resolves once all that have begun to wait were woken. */
export async function untilAllWoken(): Promise<void> {
  await until('all are woken', () => wakes === waits);
}

/** Whether any request of this process is held. */
export function isAnyHeld(): boolean {
  return accountWrites.listenerCount('written') > 0;
}
