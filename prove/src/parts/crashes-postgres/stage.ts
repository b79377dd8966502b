import assert from 'node:assert/strict';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { createPostgresDatabase } from '../../../../testkit/src/database.ts';
import { assertKept } from '../../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import { createPostgresServer } from '../../../../testkit/src/postgres.ts';
import { proxyFor } from '../../../../testkit/src/postgres-proxy.ts';
import { commitWith, createStandby, promote } from '../../../../testkit/src/postgres-standby.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import { atOnce } from '../../at-once.ts';
import type { Trial } from '../../part.ts';
import { createTenant, serve } from '../../service.ts';

const SERVICES = 2;
const LANES = 8;
/** For one in this many commits, the proxy loses the request or the response. */
const LOST_COMMIT = { full: 50, small: 6 };
/** The WAL writer waits a long time, so that it does not flush early by chance. */
const SERVER_SETTINGS = ['max_connections=60', 'unix_socket_directories=', 'wal_writer_delay=10s'];
/** Short, so that commits that wait for a standby time out soon. */
const STATEMENT_TIMEOUT = '1s';
const PATIENCE_MS = 30_000;
const CHECK_INDEXES = `select bt_index_check(c.oid, true) from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_am a on a.oid = c.relam where n.nspname = 'public' and c.relkind = 'i' and a.amname = 'btree'`;

export type Stage = Awaited<ReturnType<typeof setUp>>;

/** Starts two services under load, which reach one database through a proxy. */
export async function setUp(trial: Trial) {
  const server = await createPostgresServer(SERVER_SETTINGS);
  defer(trial, () => stage.server.stop());
  const proxy = await proxyFor(trial, server.url);
  const database = await createPostgresDatabase(proxy.url);
  const given = { DATABASE_URL: database.url, DATABASE_STATEMENT_TIMEOUT: STATEMENT_TIMEOUT };
  const tenant = await createTenant(trial, given);
  const services = await atOnce(SERVICES, () => serve(trial, given));
  const urls = services.map(({ url }) => url);
  let commits = 0;
  proxy.judge = (type, text) => {
    if (type !== 'Q' || !text.startsWith('commit')) return 'forward';
    commits += 1;
    if (commits % LOST_COMMIT[trial.size] > 0) return 'forward';
    stage.cuts += 1;
    return stage.cuts % 4 === 0 ? 'cut' : 'cut answer';
  };
  const load = startMixedLoad(urls, tenant.key, LANES);
  const stage = {
    server,
    proxy,
    load,
    /** The number of commits whose connection the proxy cut. */
    cuts: 0,
    told: load.told,
    /** Waits for a condition. @throws if it does not become true in time, or at the first broken promise */
    async expect(what: string, isSo: () => boolean): Promise<void> {
      assert.ok(await load.reaches(isSo, PATIENCE_MS), `this did not happen within ${PATIENCE_MS / 1_000} s: ${what}`);
    },
    /** Ends the load and the services, and compares the stored state. @returns the number of changes */
    async finish(): Promise<number> {
      await load.finish();
      // If the database is lost while a list or a page of events is streamed, the service can only cut the connection.
      const { told } = load;
      const broken = told('lost') - told('cut') + told('unreachable') + told('closing');
      assert.equal(broken, 0, `${broken} requests got no response, or their connection was closed`);
      proxy.judge = () => 'forward';
      await assertKept(urls[0] ?? '', tenant, database, load.ledger);
      await database.script(`create extension amcheck; ${CHECK_INDEXES}`);
      for (const { child, end } of services) {
        assert.ok(!hasEnded(child), 'a service has exited');
        assert.equal(await end(), 0, 'a service did not exit with 0');
      }
      const [head] = await database.sql('select sequence from account_heads where account_id = ?', tenant.accountId);
      return Number(head?.sequence);
    },
  };
  return stage;
}

/** What happens to the servers before the failover. */
export type Course = 'at once' | 'standby gone before' | 'standby gone and server restarted before';

/** Kills the server for good, promotes its standby behind the proxy, and waits until writes succeed. */
export async function failOver(stage: Stage, trial: Trial, name: string, course: Course): Promise<void> {
  const { server, proxy } = stage;
  const standby = await createStandby(server, name, SERVER_SETTINGS);
  defer(trial, () => standby.stop());
  if (trial.plantedFault?.needs !== 'an asynchronous standby') await commitWith(server, name);
  await workOn(stage);
  if (course !== 'at once') {
    // Later commits reach only one server.
    await standby.halt('SIGKILL');
    await workInVain(stage, 1);
  }
  if (course === 'standby gone and server restarted before') {
    await server.halt('SIGKILL');
    await server.start();
    await workInVain(stage, REFUSED);
  }
  await server.halt('SIGKILL');
  if (course !== 'at once') await standby.start();
  await promote(standby);
  proxy.redirect(standby.url);
  stage.server = standby;
  await server.stop();
  await workOn(stage);
}

/** The number of rejections until each client has tried about twice. */
const REFUSED = 16;

/** Waits until this many requests are rejected or have an unknown outcome, or until many writes are acknowledged. */
async function workInVain({ told, expect }: Stage, refused: number): Promise<void> {
  const acknowledged = told('acknowledged');
  const tellRefused = () => told('unavailable') + told('outcome_unknown');
  const before = tellRefused();
  const isEnough = () => tellRefused() >= before + refused || told('acknowledged') > acknowledged + ACKNOWLEDGED;
  await expect('requests are rejected or acknowledged without the standby', isEnough);
}

const ACKNOWLEDGED = 50;

export async function workOn({ told, expect }: Stage, acknowledged = ACKNOWLEDGED): Promise<void> {
  const before = told('acknowledged');
  await expect('writes are acknowledged', () => told('acknowledged') >= before + acknowledged);
}
