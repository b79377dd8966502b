import type pg from 'pg';
import { unavailable } from '../fair-semaphore.ts';
import { send } from './connection.ts';

/**
 * Sessions of ours whose commit waits for a synchronous standby, longer than so many milliseconds. Nothing ends that but the
 * standby or the operator, also when the client has gone long ago.
 */
const WAITING_COMMITS = `select 1 from pg_stat_activity where usename = current_user and wait_event = 'SyncRep'
  and query_start < clock_timestamp() - $1 * interval '1 ms' limit 1`;

/**
 * After a commit that was not answered: whoever wrote now would leave one more session behind that nobody can use, until the
 * server takes nobody in and cannot be read either.
 * @throws {AppError} `unavailable` while commits wait for a standby
 */
export async function requireStandby(client: pg.ClientBase, patienceMs: number): Promise<void> {
  const { rows } = await send(client, { text: WAITING_COMMITS, values: [patienceMs] });
  if (rows.length > 0) throw unavailable('The database commits nothing now and nothing was written; try again later.');
}
