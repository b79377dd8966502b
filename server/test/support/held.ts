import { accountWrites } from '../../src/domain/event-hub.ts';
import type { Statement } from '../../src/storage/database.ts';
import { openRaw, type RawConnection, type RawReply } from './raw.ts';
import { requestText } from './raw-http.ts';
import type { Tenant, TestService } from './service.ts';
import { until } from './until.ts';

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

/** Begins requests for events, each on a connection of its own, and resolves once all of them wait. */
export async function hold(service: TestService, tenants: Tenant[], query: string): Promise<Promise<RawReply>[]> {
  const reads = countReads(service);
  const replies = tenants.map(async (tenant) => {
    using connection = await openRaw(service.url);
    connection.send(requestText('GET', `/v1/events?${query}`, tenant.key));
    return await connection.readReply();
  });
  // From the look-up to the wait is less than a turn of the event loop.
  await until('all requests wait', () => reads.keys === tenants.length);
  return replies;
}

/** Begins a request on a connection that may have others, and resolves once it waits. */
export async function holdOn(connection: RawConnection, service: TestService, tenant: Tenant): Promise<void> {
  const reads = countReads(service);
  connection.send(requestText('GET', '/v1/events?wait=60', tenant.key));
  await until('the request waits', () => reads.keys === 1);
}

/** Whether any request of this process is held. */
export function isAnyHeld(): boolean {
  return accountWrites.listenerCount('written') > 0;
}
