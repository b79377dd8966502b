import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runBench } from './bench.ts';
import { formatDashboardReport, listDashboardTargets, runDashboardBench } from './dashboard.ts';
import { formatFeedReport, listFeedTargets, runFeedBench } from './feeds.ts';
import { pinDriver } from './machine.ts';
import type { Place } from './place.ts';
import { formatPostgresReport, runPostgresBench } from './postgres/bench.ts';
import { killChildren, readLogEnd } from './processes.ts';
import { formatReport, formatTargets } from './report.ts';
import { appendResults } from './results.ts';
import { runSearchBench } from './search/bench.ts';
import { formatResults, listSearchTargets, writePage } from './search/report.ts';
import { areAllMet, listTargets, type Target } from './targets.ts';
import { runWebhookBench } from './webhooks/bench.ts';
import { formatWebhookReport, listWebhookTargets } from './webhooks/report.ts';

const HELP = `npm run bench -- [options]

  --rounds N    number of rounds (default: 3)
  --seconds N   duration of each measurement (default: 2)
  --million     also stream a complete list of 1,000,000 listings
  --postgres    compare the service on PostgreSQL with pgbench instead
  --search      measure searches in an account of --listings N instead
  --webhooks    measure deliveries to webhook endpoints instead
  --dashboard   measure the Listings page of an account of --listings N in a browser instead
  --feeds       compare runs of a feed of --listings N rows with a plain import instead; with
                --postgres, on PostgreSQL
  --listings N  number of listings or rows (default: 100,000)
  --peers       with --search: also measure a server written by hand with Fastify and SQLite;
                if N is 10,000, 100,000, or 1,000,000, docs/performance.md gets the results
  --assert      exit with 1 if a target is missed, or inconclusive on a busy machine; does not
                apply to the comparison with pgbench`;

type Options = ReturnType<typeof readOptions>;

try {
  const options = readOptions();
  if (options.help) console.log(HELP);
  else await main(options);
} catch (error) {
  console.error(`bench failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function main({
  million,
  postgres,
  search,
  webhooks,
  feeds,
  dashboard,
  listings,
  peers,
  assert,
  ...times
}: Options): Promise<void> {
  const directory = makeDirectory();
  if (postgres && !feeds) {
    console.log(formatPostgresReport(await runPostgresBench({ directory, cores: undefined, ...times })));
    return;
  }
  const place = { directory, cores: pinDriver(), ...times };
  const run = () => {
    if (webhooks) return benchWebhooks(place);
    if (dashboard) return benchDashboard(place, listings);
    if (feeds) return benchFeeds(place, listings, postgres ? 'postgres' : 'sqlite');
    return search ? benchSearches(place, listings, peers) : bench(place, million);
  };
  const targets = await run().catch((error) => {
    // Print the ends of the logs: the reason may be only there, and the directory is removed on exit.
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.log'))) {
      console.error(`The end of ${name}:\n${readLogEnd(join(directory, name))}`);
    }
    throw error;
  });
  if (assert && !areAllMet(targets)) process.exitCode = 1;
}

async function bench(place: Place, million: boolean): Promise<Target[]> {
  const results = await runBench(place, million);
  console.log(formatReport(results));
  appendResults('results.jsonl', results);
  return listTargets(results);
}

async function benchSearches(place: Place, listings: number, peers: boolean): Promise<Target[]> {
  const results = await runSearchBench(place, listings, peers);
  const targets = listSearchTargets(results);
  console.log(`${formatResults(results)}\n\n${formatTargets(targets)}`);
  appendResults('search.jsonl', results);
  writePage();
  return targets;
}

async function benchWebhooks(place: Place): Promise<Target[]> {
  const results = await runWebhookBench(place);
  console.log(formatWebhookReport(results));
  appendResults('webhooks.jsonl', results);
  return listWebhookTargets(results);
}

async function benchFeeds(place: Place, rows: number, engine: 'sqlite' | 'postgres'): Promise<Target[]> {
  const results = await runFeedBench(place, rows, engine);
  console.log(formatFeedReport(results));
  appendResults('feeds.jsonl', results);
  return listFeedTargets(results);
}

async function benchDashboard(place: Place, listings: number): Promise<Target[]> {
  const results = await runDashboardBench(place, listings);
  console.log(formatDashboardReport(results));
  appendResults('dashboard.jsonl', results);
  return listDashboardTargets(results);
}

/** Creates a temporary directory. On exit, all child processes are killed, and the directory is removed. */
function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'property-listings-bench-'));
  process.once('exit', () => {
    killChildren();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  return directory;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      million: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      search: { type: 'boolean', default: false },
      feeds: { type: 'boolean', default: false },
      webhooks: { type: 'boolean', default: false },
      dashboard: { type: 'boolean', default: false },
      listings: { type: 'string', default: '100000' },
      peers: { type: 'boolean', default: false },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const positive = (name: 'rounds' | 'seconds' | 'listings') => readPositive(name, values[name]);
  const numbers = { rounds: positive('rounds'), seconds: positive('seconds'), listings: positive('listings') };
  return { ...values, ...numbers };
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number greater than 0`);
  return value;
}
