import type { AccountHead } from '../../model/accounts.ts';
import { AppError, attempt } from '../../model/errors.ts';
import type { ChangeSize, StagedFile } from '../../storage/open.ts';
import { measureVersion, takeQuota } from '../writing/quotas.ts';
import type { FeedExamples } from './feed-examples.ts';
import type { FeedPlan } from './feed-plan.ts';
import type { FeedChange } from './feed-rows.ts';

const PAGE_LENGTH = 200;

interface QuotaOptions {
  account: AccountHead;
  examples: FeedExamples | undefined;
  pause: () => Promise<void>;
}

/** Turns planned changes for which a quota has no room into failed rows, in the order in which rows are written. */
export async function applyQuotas(plan: FeedPlan, { account, examples, pause }: QuotaOptions): Promise<void> {
  const after = { ...account };
  for (let changes = plan.file.sizesAfter(0, PAGE_LENGTH); changes.length > 0; ) {
    for (const { currentBytes, ...change } of changes) {
      const measureCurrent = currentBytes === null ? undefined : () => currentBytes;
      const lack = attempt(() => takeQuota(after, () => change, measureCurrent));
      if (lack instanceof AppError) {
        plan.failChange({ ...change, isNew: currentBytes === null }, lack);
        examples?.removeChange(change.line);
      }
      await pause();
    }
    changes = plan.file.sizesAfter(changes.at(-1)?.number ?? 0, PAGE_LENGTH);
  }
}

/**
 * Stores how much of the account's quotas a planned change uses, if the account has quotas.
 * @param change required if there is a quota for bytes; otherwise, undefined means a new listing
 */
export function stageSize(
  file: StagedFile,
  number: number,
  { listingsMax, bytesMax }: AccountHead,
  change?: FeedChange,
): void {
  if (listingsMax !== null || bytesMax !== null) file.addSize(number, sizeOf(bytesMax, change));
}

function sizeOf(bytesMax: number | null, change: FeedChange | undefined): ChangeSize {
  const { listing, changes, before } = change ?? {};
  if (bytesMax === null) return { docBytes: 0, countedBytes: 0, currentBytes: before === undefined ? null : 0 };
  const size = measureVersion(JSON.stringify(listing), before === undefined ? null : JSON.stringify(changes));
  return { ...size, currentBytes: before === undefined ? null : Buffer.byteLength(before.stored.doc) };
}
