import type { FeedRow, RestoreRow } from '../../domain/feed-rows.ts';
import { makeInput } from './file-reading.ts';
import type { ReadGoodRow, ReadRow } from './reading.ts';

/** A row for a feed, which keeps it on disk. */
export function toFeedRow(row: ReadRow): FeedRow {
  if ('issue' in row) {
    return { line: row.line, externalId: undefined, values: undefined, cleaned: 0, content: row.issue, isCut: false };
  }
  const { line, id: _id, ...content } = row;
  const { externalId } = row;
  return { line, externalId, values: undefined, cleaned: 0, content: JSON.stringify(content), isCut: false };
}

export const restoreRow: RestoreRow = (content) => {
  const row: ReadGoodRow = JSON.parse(content);
  return (current) => makeInput(row, current);
};
