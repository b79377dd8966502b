import type { FeedRow, RestoreRow } from '../../domain/feeds/feed-rows.ts';
import { makeInput } from './file-reading.ts';
import type { ReadGoodRow, ReadRow } from './reading.ts';

/** A row for a feed, which keeps the parts that change its listing on disk. */
export function toFeedRow(row: ReadRow): FeedRow {
  const { line, externalId, values, isCut = false } = row;
  const any = { line, externalId, values, isCut };
  if ('issue' in row) return { ...any, cleaned: 0, content: row.issue };
  const { patch, lack, cleaned } = row;
  return { ...any, cleaned, content: JSON.stringify([patch, lack]) };
}

export const restoreRow: RestoreRow = (content) => {
  const [patch, lack]: [ReadGoodRow['patch'], ReadGoodRow['lack'] | null] = JSON.parse(content);
  return (current) => makeInput({ patch, lack: lack ?? undefined }, 'merge', current);
};
