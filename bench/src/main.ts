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

  --rounds N    how often service and bare server take turns (3)
  --seconds N   how long each is driven in a round (2)
  --million     also the complete list of 1,000,000 listings
  --postgres    instead of all that, PostgreSQL against pgbench
  --assert      a missed target, or one that a busy machine left in doubt, is a failure`;

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
    // The directory is about to be removed, and the reason may stand there only.
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.log'))) {
      console.error(`The end of ${name}:\n${readLogEnd(join(directory, name))}`);
    }
    throw error;
  });
  console.log(formatReport(results));
  appendResults(results);
  if (assert && !areAllMet(results)) process.exitCode = 1;
}

/** However this process ends, nothing that it made or started is left behind. */
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
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}
