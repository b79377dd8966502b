import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/storage/open.ts';
import { distribute } from '../../src/storage/postgres/distribute.ts';
import { clientFor, databaseFor } from './support.ts';

// Stands in for Citus, which the test server lacks: records which tables are distributed. Like Citus, rejects a
// table that is already distributed, and a foreign key between a local and a distributed table. `CONTRIBUTING.md`
// explains how to run the tests on Citus.
const STAND_IN = `
  set allow_system_table_mods = on;
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    values (99999, 'citus', 10, 11, false, '13.2');
  create table pg_dist_partition (
    logicalrelid regclass primary key, partmethod "char" not null, partkey text, repmodel "char" not null
  );
  create function put_partition (name regclass, method "char", key text, model "char") returns void language plpgsql as $$
    begin
      delete from pg_dist_partition where logicalrelid = name and partmethod = 'n' and repmodel = 's';
      insert into pg_dist_partition values (name, method, key, model);
      if method = 'h' and exists (
        select from pg_constraint where contype = 'f' and (conrelid = name or confrelid = name)
          and (select count(*) from pg_dist_partition where logicalrelid in (conrelid, confrelid) and partmethod = 'h') = 1
          and not exists (select from pg_dist_partition where logicalrelid = confrelid and repmodel = 't')
      ) then raise 'foreign key between a local and a distributed table: %', name; end if;
    end $$;
  create function create_reference_table (name regclass) returns void language sql
    as $$ select put_partition(name, 'n', null, 't') $$;
  create function create_distributed_table (name regclass, key text, colocate_with text default 'default')
    returns void language sql as $$ select put_partition(name, 'h', key, 's') $$;
`;

/** Tables that an earlier release did not have. Citus lists them as local tables if they reference `accounts`. */
const NEW_TABLES = [
  'webhooks',
  'webhook_deliveries',
  'feeds',
  'feed_runs',
  'feed_errors',
  'request_blocks',
  'saved_views',
  'passkeys',
];

const skip = process.env.TEST_CITUS_WORKERS ? 'the server has Citus' : false;

async function clusterFor(t: TestContext) {
  const database = await databaseFor(t);
  await (await openDatabase(database.url)).close();
  const client = await clientFor(t, database);
  await client.query(STAND_IN);
  const run = async () => {
    await client.query('begin');
    await distribute(client);
    await client.query('commit');
  };
  const query = async (text: string) => (await client.query(text)).rows;
  const partitions = () =>
    query('select logicalrelid::text as name, partmethod, partkey, repmodel from pg_dist_partition order by 1');
  const keys = () =>
    query("select conname, pg_get_constraintdef(oid) from pg_constraint where contype = 'f' order by 1");
  return { client, run, partitions, keys };
}

test('a distributed database from an earlier release is distributed completely', { skip }, async (t) => {
  const { client, run, partitions, keys } = await clusterFor(t);
  const keysBefore = await keys();
  await run();
  const complete = await partitions();
  assert.ok(NEW_TABLES.every((table) => complete.some(({ name }) => name === table)));
  assert.deepEqual(await keys(), keysBefore);

  await client.query('delete from pg_dist_partition where logicalrelid = any ($1::regclass[])', [NEW_TABLES]);
  await client.query("insert into pg_dist_partition values ('webhooks', 'n', null, 's'), ('feeds', 'n', null, 's')");
  await run();
  assert.deepEqual(await partitions(), complete);
  assert.deepEqual(await keys(), keysBefore);
});

test('tables that are already distributed stay unchanged', { skip }, async (t) => {
  const { run, partitions, keys } = await clusterFor(t);
  await run();
  const before = [await partitions(), await keys()];
  await run();
  assert.deepEqual([await partitions(), await keys()], before);
});
