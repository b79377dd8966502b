import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { defer } from '../../../testkit/src/cleanup.ts';
import { SEARCH_COLUMNS } from '../../src/model/search.ts';
import { statement } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import { readPage } from '../../src/storage/postgres/reads.ts';
import { updateSearchRows } from '../../src/storage/search-rows.ts';
import { databaseFor } from './support.ts';

const KEPT_MAX = 50;
const SETTINGS = { poolSize: 1, statementTimeoutMs: 30_000, preparesStatements: true };

test('a connection keeps the queries of the latest lists prepared, and prepares others again', async (t) => {
  const { url } = await databaseFor(t);
  const pool = new Pool(url, SETTINGS);
  defer(t, () => pool.close());
  const ask = async (text: string, values: unknown[] = []) => {
    const options = { accountId: 'one', limit: 20, settings: '; set local enable_sort = off', signal: undefined };
    return (await readPage(pool, { text, values }, options)).rows;
  };
  for (let turn = 0; turn < 3; turn += 1) {
    for (let number = 0; number < KEPT_MAX + 10; number += 1)
      assert.deepEqual(await ask(`select ${number}, $1::text`, [`turn ${turn}`]), [[number, `turn ${turn}`]]);
    await assert.rejects(ask(`select ${turn} / 0`));
  }
  const [[count] = []] = await ask('select count(*) from pg_prepared_statements');
  assert.ok(Number(count) > 1 && Number(count) <= KEPT_MAX, `${count} queries are prepared`);
});

test('changes of other fields prepare no further statements', async (t) => {
  const database = await openDatabase((await databaseFor(t)).url, SETTINGS);
  defer(t, () => database.close());
  const times = { createdAt: '2026-01-31T09:00:00.000Z', updatedAt: '2026-01-31T09:00:00.000Z' };
  const row = { status: 'active', beds: 3, baths: 2, terms: ' elm', ...times } as const;
  const prepared = statement<object, { count: number }>((query) =>
    query.selectFrom(sql`pg_prepared_statements`.as('prepared')).select(sql<number>`count(*)::integer`.as('count')),
  );
  const counts = await database.write(async (transaction) => {
    const seen: (number | undefined)[] = [];
    for (const [index, name] of SEARCH_COLUMNS.entries()) {
      for (const parts of [[name], [name, 'terms'], SEARCH_COLUMNS.slice(0, index + 1)] as const)
        await updateSearchRows(transaction, 'acc_none', [{ ...row, id: 'lst_none' }], parts);
      seen.push((await transaction.execute(prepared, {}))[0]?.count);
    }
    return seen;
  });
  assert.ok(counts.length > 20 && counts[0] !== undefined);
  assert.equal(new Set(counts).size, 1, counts.join());
});
