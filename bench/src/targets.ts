import { MILLION } from './million.ts';
import type { Results } from './results.ts';

export type Target = {
  name: string;
  /** Whether enough is good or little is. */
  limit: 'at least' | 'at most';
  value: number;
  unit: '' | 'ms' | 'MB';
  /** Nothing when this run did not measure it. */
  got: number | undefined;
  isQuiet: boolean;
};

type Verdict = 'met' | 'NOT MET' | 'not measured: --million' | 'NO VERDICT: not quiet';

const BYTES_PER_MB = 1e6;

/** The figures the service is to reach, and what this run gave. */
export function listTargets(results: Results): Target[] {
  const ratio = (name: string, value: number): Target => {
    const row = results.rows.find((candidate) => candidate.name === name);
    const isQuiet = row?.isQuiet ?? false;
    return { name: `${name}: ratio`, limit: 'at least', value, unit: '', got: row?.ratio, isQuiet };
  };
  const atMost = (name: string, value: number, unit: 'ms' | 'MB', got: number | undefined): Target => ({
    name,
    limit: 'at most',
    value,
    unit,
    got,
    isQuiet: true,
  });
  const million = results.bulk.find(({ name }) => name === MILLION);
  const growth = million?.memoryGrowthBytes === undefined ? undefined : million.memoryGrowthBytes / BYTES_PER_MB;
  return [
    ratio('list of 20', 0.2),
    ratio('get one', 0.4),
    ratio('create', 0.2),
    ratio('304 (list of 20)', 0.45),
    atMost(`${MILLION}: memory growth`, 100, 'MB', growth),
    atMost(`${MILLION}: first byte`, 100, 'ms', million?.firstByteMs),
    atMost('ready on an existing database', 1000, 'ms', million?.readyMs ?? results.readyMs),
  ];
}

/** A ratio from a busy machine is no verdict: it may flatter the service as well as wrong it. */
export function judge({ limit, value, got, isQuiet }: Target): Verdict {
  if (got === undefined) return 'not measured: --million';
  if (!isQuiet) return 'NO VERDICT: not quiet';
  return (limit === 'at least' ? got >= value : got <= value) ? 'met' : 'NOT MET';
}

/** Whether no target was missed, and none of those that were measured is in doubt. */
export function areAllMet(results: Results): boolean {
  return listTargets(results).every((target) => target.got === undefined || judge(target) === 'met');
}
