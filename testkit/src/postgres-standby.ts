import { join } from 'node:path';
import pg from 'pg';
import { newDirectory, type PostgresServer, startOn } from './postgres.ts';
import { copyDirectory, writeOwned } from './postgres-programs.ts';
import { until } from './until.ts';

/** Not part of a base backup: files of running processes, and the write-ahead log, which is streamed. */
const LEFT_OUT = /^(postmaster\.(pid|opts)$|pg_(wal|replslot|stat_tmp)\/|.*pgsql_tmp)/;

/** Starts a standby of a running server on a copy of its files, made in the same way as by `pg_basebackup`. */
export async function createStandby(
  primary: PostgresServer,
  name: string,
  settings: readonly string[],
): Promise<PostgresServer> {
  const directory = newDirectory();
  await within(primary, async (client) => {
    // The replication slot makes the server keep its write-ahead log from this point.
    await client.query('select pg_create_physical_replication_slot($1, true)', [name]);
    await client.query('select pg_backup_start($1, true)', [name]);
    await copyDirectory(primary.directory, directory, (path) => LEFT_OUT.test(path));
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await writeOwned(join(directory, 'backup_label'), rows[0].labelfile);
  });
  const { hostname, port, username, password } = new URL(primary.url);
  const from = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
  const followed = `primary_conninfo = '${from}'\nprimary_slot_name = '${name}'\nwal_retrieve_retry_interval = '100ms'\n`;
  await writeOwned(join(directory, 'postgresql.auto.conf'), followed);
  await writeOwned(join(directory, 'standby.signal'), '');
  return startOn(directory, settings);
}

/** Makes later commits wait for the standby to confirm them. */
export async function commitWith(primary: PostgresServer, name: string): Promise<void> {
  await within(primary, async (client) => {
    await client.query(`alter system set synchronous_standby_names = '${name}'`);
    await client.query('select pg_reload_conf()');
    await until('the standby is synchronous', async () => {
      const { rows } = await client.query('select sync_state from pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    });
  });
}

export async function promote(standby: PostgresServer): Promise<void> {
  await within(standby, (client) => client.query('select pg_promote()'));
}

async function within(server: PostgresServer, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(server.url);
  client.on('error', () => {});
  await client.connect();
  await work(client).finally(() => client.end());
}
