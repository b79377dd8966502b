import type { FeedPlan } from '@property-listings/client/feeds';
import { type ReportOptions, writeReport } from './import-report.ts';
import { formatCount } from './progress.ts';
import { describeChanges } from './record.ts';
import { writeRows } from './rows.ts';
import { write } from './standard-output.ts';
import { toJson } from './terminal.ts';

/** The maximum number of examples of each kind of change, and of failed rows. */
const EXAMPLES_MAX = 10;
const COLUMNS = ['change', 'line', 'externalId', 'listing'];

/** Writes the plan as JSON, or examples of each kind of change and the first failed rows, then the counts. */
export async function writePlan(plan: FeedPlan, { json, dryRun }: ReportOptions): Promise<void> {
  if (json) return write(`${toJson(plan)}\n`);
  const { create, update, missing, failed } = plan.examples;
  const updates = update.map(({ changes, ...row }) => ({ ...row, listing: describeChanges(changes) }));
  const rows = [
    ...toRows('create', create.map(toRow), plan.created),
    ...toRows('update', updates, plan.updated),
    ...toRows('missing', missing.map(toRow), plan.missing),
  ];
  await writeRows(rows, COLUMNS, {});
  const how = 'To see all of them, add --dry-run --json.';
  await writeReport({ ...plan, errors: failed }, { dryRun }, how, EXAMPLES_MAX);
}

function toRow({ address, ...row }: { address: string }): object {
  return { ...row, listing: address };
}

function toRows(change: string, examples: object[], count: number): object[] {
  const shown = examples.slice(0, EXAMPLES_MAX).map((example) => ({ change, ...example }));
  const left = count - shown.length;
  return left > 0 ? [...shown, { change, listing: `… and ${formatCount(left)} more` }] : shown;
}

/** Why the guard would stop the run, and what the user can do. */
export function describeGuard({ guard }: FeedPlan): string {
  const reasons = guard.map(({ message }) => message).join('; ');
  const flags = guard.flatMap(({ reason, count }) => (count === undefined ? [] : [`--${reason}-max ${count}`]));
  const check = guard.every(({ reason }) => reason === 'failed') ? 'Correct the failed rows' : 'Check the file';
  // For a file that is empty or cut short, there is no limit to increase.
  const remedy =
    flags.length < guard.length ? 'Send the complete file.' : `${check}; to proceed anyway, add ${flags.join(' ')}.`;
  return `The guard would stop this run: ${reasons}. ${remedy}`;
}
