import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runBench } from './bench.ts';
import { pinDriver } from './machine.ts';
import { formatPostgresReport, runPostgresBench } from './postgres/bench.ts';
import { killChildren, readLogEnd } from './processes.ts';
import { formatReport } from './report.ts';
import { appendResults } from './results.ts';
import { areAllMet } from './targets.ts';

const HELP = `npm run bench -- [options]

  --rounds N    number of rounds; service and bare server alternate (default: 3)
  --seconds N   duration of each measurement (default: 2)
  --million     also stream a complete list of 1,000,000 listings
  --postgres    compare the service on PostgreSQL with pgbench instead
  --assert      exit with 1 if a target is missed, or inconclusive on a busy machine`;

type Options = { rounds: number; seconds: number; million: boolean; postgres: boolean; assert: boolean; help: boolean };

try {
  const options = readOptions();
  if (options.help) console.log(HELP);
  else await main(options);
} catch (error) {
  console.error(`bench failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function main({ rounds, seconds, million, postgres, assert }: Options): Promise<void> {
  const directory = makeDirectory();
  if (postgres) {
    console.log(formatPostgresReport(await runPostgresBench({ directory, cores: undefined, rounds, seconds })));
    return;
  }
  const results = await runBench({ directory, cores: pinDriver(), rounds, seconds }, million).catch((error) => {
    // The reason may be only in these logs, and the directory is removed on exit.
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.log'))) {
      console.error(`The end of ${name}:\n${readLogEnd(join(directory, name))}`);
    }
    throw error;
  });
  console.log(formatReport(results));
  appendResults('results.jsonl', results);
  if (assert && !areAllMet(results)) process.exitCode = 1;
}

/** Removed on exit, together with all child processes. */
function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'property-listings-bench-'));
  process.once('exit', () => {
    killChildren();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  return directory;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      million: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { ...values, rounds: readPositive('rounds', values.rounds), seconds: readPositive('seconds', values.seconds) };
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number greater than 0`);
  return value;
}
