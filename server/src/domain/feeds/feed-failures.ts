import { isObject } from '../../lib/merge-patch.ts';
import type { Executor } from '../../storage/database.ts';
import { insertFailures, type StoredFailure } from '../../storage/feed-errors.ts';
import type { StoredRun } from '../../storage/feed-runs.ts';
import type { FeedSource } from './feed-rows.ts';

/** Once a run has stored this many failed rows, or about this many bytes of them, it only counts further ones. */
const ROWS_MAX = 100_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** Maximum length of a failed row's values as JSON. */
const VALUES_LENGTH_MAX = 64 * 1024;

export function hasAllFailures({ storedRows, storedBytes }: StoredRun): boolean {
  return storedRows >= ROWS_MAX || storedBytes >= BYTES_MAX;
}

/** Stores failed rows until the run reaches its limits. `failures` has the values as they are in the staged file. */
export async function storeFailures(
  executor: Executor,
  accountId: string,
  run: StoredRun,
  failures: readonly StoredFailure[],
  source: FeedSource,
): Promise<StoredRun> {
  const after = { ...run };
  const stored: StoredFailure[] = [];
  for (const { number, error, values: given } of failures) {
    if (hasAllFailures(after)) break;
    const values = valuesToKeep(given, source);
    stored.push({ number, error, values });
    after.storedRows += 1;
    after.storedBytes += error.length + (values?.length ?? 0);
  }
  await insertFailures(executor, accountId, run.id, stored);
  return after;
}

/** A failed row's values as a JSON object on one line; null if there are none, or if they are too long. */
function valuesToKeep(given: string | null, source: FeedSource): string | null {
  const values = given && source.describeValues(given, VALUES_LENGTH_MAX);
  if (values === null) return null;
  const parsed = attemptJson(values);
  // Line breaks can occur only between tokens, because JSON strings cannot contain them.
  return isObject(parsed) ? values.replaceAll(/[\r\n]/g, ' ') : JSON.stringify({ text: values });
}

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
