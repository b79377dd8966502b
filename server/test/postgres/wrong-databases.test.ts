import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { defer } from '../../../testkit/src/cleanup.ts';
import { startPostgres } from '../../../testkit/src/postgres.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { databaseFor } from './support.ts';

const countTables = "select count(*) as count from pg_tables where schemaname = 'public'";

test("a database with another program's tables is rejected and stays unchanged", async (t) => {
  const others = [
    'create table schema_version (version text)',
    'create table schema_version (version bigint)',
    'create table schema_version (installed_rank bigint, script text)',
    'create table accounts (version text)',
  ];
  for (const table of others) {
    const { url, script, sql } = await databaseFor(t);
    await script(table);
    const [name = ''] = /schema_version|accounts/.exec(table) ?? [];
    await script(`insert into ${name} values (1)`);
    await assert.rejects(openDatabase(url), {
      code: 'unavailable',
      message: new RegExp(`^Cannot migrate the tables of postgres:.*: relation "${name}" already exists\\.$`),
    });
    assert.deepEqual(await sql(countTables), [{ count: 1 }]);
    assert.equal(String(Object.values((await sql(`select * from ${name}`))[0] ?? {})[0]), '1');
  }
});

test('a database with an encoding other than UTF-8 is rejected with advice', async (t) => {
  const server = new pg.Client(await startPostgres());
  await server.connect();
  const name = `latin_${process.pid}`;
  await server.query(`create database ${name} encoding 'LATIN1' locale 'C' locale_provider libc template template0`);
  defer(t, async () => {
    await server.query(`drop database ${name} with (force)`);
    await server.end();
  });
  const { href } = Object.assign(new URL(await startPostgres()), { pathname: `/${name}` });
  await assert.rejects(openDatabase(href), { code: 'unavailable', message: /encoding LATIN1; .*encoding 'UTF8'/ });
});
