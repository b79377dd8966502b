import { AppError } from '../model/errors.ts';
import { normalEmail } from '../model/users.ts';
import type { Database, LogDatabase } from '../storage/database.ts';
import { type ExportedRow, exportAccountRows, exportPersonRows } from '../storage/export.ts';
import { findUserByEmail } from '../storage/users.ts';
import { getAccount } from './accounts/accounts.ts';
import { findRequests } from './requests/request-history.ts';

const REQUESTS_PER_READ = 1_000;

/** Everything stored about an account, without secrets. @throws {AppError} `not_found` */
export async function* exportAccount(database: Database, accountId: string): AsyncGenerator<ExportedRow> {
  await getAccount(database, accountId);
  yield* exportAccountRows(database, accountId);
  yield* exportRequests(database.requestLog, accountId);
}

async function* exportRequests(log: LogDatabase, accountId: string): AsyncGenerator<ExportedRow> {
  let after: Parameters<typeof findRequests>[3]['after'];
  do {
    const { entries, next } = await findRequests(log, accountId, {}, { after, limit: REQUESTS_PER_READ });
    for (const data of entries) yield { table: 'requests', data: { ...data, at: new Date(data.at).toISOString() } };
    after = next;
  } while (after !== undefined);
}

/** What is stored about a person in all accounts, without secrets. @throws {AppError} `not_found` */
export async function* exportPerson(database: Database, address: string): AsyncGenerator<ExportedRow> {
  const email = normalEmail(address);
  const user = await findUserByEmail(database, email);
  let rows = 0;
  // No user has an empty id.
  for await (const row of exportPersonRows(database, { id: user?.id ?? '', email })) {
    rows += 1;
    yield row;
  }
  if (rows === 0) throw new AppError('not_found', `Nothing is stored about ${email}.`);
}
