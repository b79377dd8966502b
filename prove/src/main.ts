import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from '../../testkit/src/program.ts';
import type { Part, Trial } from './part.ts';
import { parts } from './parts.ts';
import { formatPart, type Result, writeReport } from './report.ts';
import { isFound, type Verdict } from './trial.ts';

const HELP = `npm run prove -- [options] [PART …]

Tries to break the service's promises, prints the results, and writes them to docs/proof.md and the
table in README.md. This takes two hours on two idle cores. With parts, it tries only those, and writes
nothing unless you add --write.

  --seed N    repeats the random choices of an earlier run
  --small     runs the short form, as the tests do, and writes nothing
  --write     with parts: also writes their results

Parts:
${parts.map(({ name, promise }) => `  ${name.padEnd(18)} ${promise}`).join('\n')}`;

const TRIAL_PROGRAM = join(import.meta.dirname, 'trial-process.ts');
/** Longer than any trial takes. */
const TRIAL_TIMEOUT_MS = 30 * 60_000;
const SEEDS = 2 ** 31;

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(endByForce));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

try {
  await main();
} catch (error) {
  console.error(`prove: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      small: { type: 'boolean' },
      write: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const chosen = positionals.length === 0 ? parts : positionals.map(findPart);
  const seed = values.seed === undefined ? randomInt(SEEDS) : readSeed(values.seed);
  const date = new Date();
  const program = await buildProgram();
  const results: Result[] = [];
  for (const part of chosen) {
    const result = await prove(program, part, values.small ? 'small' : 'full', seed);
    results.push(result);
    console.log(formatPart(result, parts.indexOf(part) + 1, { date, seed }));
  }
  if ((chosen === parts || values.write) && !values.small) writeReport(parts, results, { date, seed });
  const failed = results.filter(({ isKept }) => !isKept).map(({ part }) => part.name);
  const verdict = failed.length === 0 ? 'Every promise was kept' : `NOT PROVEN: ${failed.join(', ')}`;
  console.error(`${verdict} (seed ${seed}).`);
  if (failed.length > 0) process.exitCode = 1;
}

/** Tries a part on the bundle, which users get, and its planted faults on the sources, which they patch. */
async function prove(program: string, part: Required<Part>, size: Trial['size'], seed: number): Promise<Result> {
  console.error(`${part.title}: ${part.promise}`);
  const verdict = await tryInProcess({ TEST_PROGRAM: program }, part.name, size, seed);
  const faults: Result['faults'] = [];
  for (const fault of part.plantedFaults) {
    console.error(`  planted: ${fault.what}`);
    faults.push({ fault, verdict: await tryInProcess({}, part.name, 'small', seed, fault.what) });
  }
  const isKept = verdict.is === 'kept' && faults.every((each) => isFound(each.fault, each.verdict));
  return { part, verdict, faults, isKept };
}

/** Runs a trial in its own process group, so no process outlives the trial. */
async function tryInProcess(
  settings: Record<string, string>,
  ...args: [name: string, size: string, seed: number, fault?: string]
): Promise<Verdict> {
  const child = fork(TRIAL_PROGRAM, args.map(String), { detached: true, env: { ...process.env, ...settings } });
  running.add(child);
  const timer = setTimeout(() => endByForce(child), TRIAL_TIMEOUT_MS);
  let verdict: Verdict | undefined;
  child.once('message', (message: Verdict) => {
    verdict = message;
  });
  await once(child, 'exit');
  clearTimeout(timer);
  endByForce(child);
  running.delete(child);
  return verdict ?? { is: 'untried', words: 'The trial ended without a verdict.', seconds: 0 };
}

function endByForce({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {}
}

function findPart(name: string): Required<Part> {
  const part = parts.find((each) => each.name === name);
  if (part === undefined)
    throw new Error(`there is no part ${name}; the parts are ${parts.map((each) => each.name).join(', ')}`);
  return part;
}

function readSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0 || seed >= SEEDS)
    throw new Error(`--seed must be a whole number from 0 to ${SEEDS - 1}`);
  return seed;
}
