import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import { readPage } from '../../src/storage/postgres/reads.ts';
import { databaseFor } from './support.ts';

const KEPT_MAX = 50;

test('a connection keeps the queries of the latest lists prepared, and prepares others again', async (t) => {
  const { url } = await databaseFor(t);
  const pool = new Pool(url, { poolSize: 1, statementTimeoutMs: 30_000, preparesStatements: true });
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
