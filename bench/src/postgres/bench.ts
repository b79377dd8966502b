import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endlessCreates } from '../creates.ts';
import { cycle } from '../cycle.ts';
import { drive } from '../driver.ts';
import { formatCount, formatRatio, formatTable } from '../formats.ts';
import { describeCommit, describeMachine } from '../machine.ts';
import { type Place, say } from '../place.ts';
import { sendCall, serializeCall } from '../requests.ts';
import { appendResults } from '../results.ts';
import { CONNECTIONS } from '../rounds.ts';
import { fill } from '../seed.ts';
import { type Account, createAccounts, startService } from '../service.ts';
import { median } from '../statistics.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import { LIST_PATH, loggingUrl, PARTS, type Part, recordScripts, startPostgres } from './recordings.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ACCOUNTS = 20;
const LISTINGS = 20_000;
const WARM_UP_SECONDS = 1;

const SIDES = ['pgbench', 'one process', 'two processes'] as const;
type Side = (typeof SIDES)[number];

type PostgresResults = {
  date: string;
  commit: string;
  machine: ReturnType<typeof describeMachine>;
  rounds: number;
  seconds: number;
  /** Medians of requests or scripts per second, and of the rounds' ratios to pgbench. */
  rows: { part: Part; side: Side; perSecond: number; ratio: number }[];
};

/**
 * Compares the service on PostgreSQL with pgbench, which runs the same SQL on the same machine with the same number of
 * concurrent clients.
 * @returns undefined if pgbench is not installed
 */
export async function runPostgresBench(place: Place): Promise<PostgresResults | undefined> {
  const program = findPgbench();
  if (program === undefined) return undefined;
  const date = new Date().toISOString();
  mkdirSync(join(place.directory, 'data'));
  const server = await startPostgres();
  const at = { ...place, cores: undefined, databaseUrl: server.url };
  say(`creating ${ACCOUNTS} accounts with ${LISTINGS} listings`);
  const accounts = await createAccounts(at, ACCOUNTS);
  await fill(at, Array.from({ length: LISTINGS }, cycle(accounts)));
  say('recording the SQL of the service');
  const recorded = await startService({ ...at, databaseUrl: loggingUrl(server.url) });
  const scripts: Record<Part, string>[] = [];
  for (const { key } of accounts) scripts.push(await recordScripts(recorded.port, server.readLog, key));
  await recorded.stop();
  const rounds: Record<Part, Record<Side, number>>[] = [];
  for (let round = 1; round <= place.rounds; round += 1) {
    say(`round ${round} of ${place.rounds}`);
    const run = { program, url: server.url, directory: place.directory, clients: CONNECTIONS, seconds: place.seconds };
    const runPart = (part: Part) => runPgbench({ ...run, scripts: scripts.map((script) => script[part]) });
    const pgbench = { 'list of 20': await runPart('list of 20'), create: await runPart('create') };
    const one = await measureService(at, accounts);
    const two = await measureService({ ...at, workers: 2 }, accounts);
    const sidesOf = (part: Part) => ({ pgbench: pgbench[part], 'one process': one[part], 'two processes': two[part] });
    rounds.push({ 'list of 20': sidesOf('list of 20'), create: sidesOf('create') });
  }
  await server.stop();
  const results = {
    date,
    commit: describeCommit(ROOT),
    machine: describeMachine(),
    rounds: place.rounds,
    seconds: place.seconds,
    rows: PARTS.flatMap((part) =>
      SIDES.map((side) => ({
        part,
        side,
        perSecond: median(rounds.map((round) => round[part][side])),
        ratio: median(rounds.map((round) => round[part][side] / round[part].pgbench)),
      })),
    ),
  };
  appendResults('postgres.jsonl', results);
  return results;
}

async function measureService(
  place: Place & { databaseUrl: string; workers?: number },
  accounts: readonly Account[],
): Promise<Record<Part, number>> {
  const service = await startService(place);
  const { port } = service;
  const list = async (key: string) => {
    const call = { method: 'GET' as const, path: LIST_PATH, key };
    const { body } = await sendCall(port, call);
    return { request: serializeCall(port, call), expected: { status: 200, contains: [body.subarray(0, 100)] } };
  };
  const lists = cycle(await Promise.all(accounts.map(({ key }) => list(key))));
  const creates = cycle(accounts.map(({ key }) => endlessCreates(port, key)));
  const measure = async (next: Parameters<typeof drive>[0]['next']) => {
    await drive({ port, connections: CONNECTIONS, next, seconds: WARM_UP_SECONDS });
    return (await drive({ port, connections: CONNECTIONS, next, seconds: place.seconds })).requestsPerSecond;
  };
  const measured = { 'list of 20': await measure(lists), create: await measure(() => creates()()) };
  await service.stop();
  return measured;
}

const TARGETS: [part: Part, side: Side, ratio: number][] = [
  ['list of 20', 'one process', 0.2],
  ['list of 20', 'two processes', 0.3],
  ['create', 'one process', 0.3],
];

export function formatPostgresReport(results: PostgresResults | undefined): string {
  if (results === undefined)
    return 'PostgreSQL was not measured: install pgbench (on Debian, the package postgresql-contrib) first.';
  const { date, commit, machine, rounds, seconds, rows } = results;
  const ratioOf = (part: Part, side: Side) => rows.find((row) => row.part === part && row.side === side)?.ratio ?? 0;
  return [
    `${date}  commit ${commit}  ${machine.cpu}, ${machine.cores} shared cores, node ${machine.node}`,
    `Medians of ${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections; pgbench runs the SQL of the same requests.`,
    '',
    formatTable([
      ['', '', 'per second', 'ratio'],
      ...rows.map(({ part, side, perSecond, ratio }) => [part, side, formatCount(perSecond), formatRatio(ratio)]),
    ]),
    '',
    formatTable(
      TARGETS.map(([part, side, value]) => {
        const ratio = ratioOf(part, side);
        return [`${part}, ${side}`, `at least ${value}`, formatRatio(ratio), ratio >= value ? 'met' : 'NOT MET'];
      }),
    ),
  ].join('\n');
}
