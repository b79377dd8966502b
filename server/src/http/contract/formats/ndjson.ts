import { type ListFormat, toRows } from './list-format.ts';

/** One listing per line, then a line that marks the end; a truncated list lacks that line. */
export const ndjsonFormat: ListFormat = {
  mediaType: 'application/x-ndjson',
  contentType: 'application/x-ndjson',
  hasDistance: true,
  begin: () => '',
  rows: toRows,
  separator: '\n',
  end: ({ sequence, epoch, total }, count) =>
    `${count > 0 ? '\n' : ''}${JSON.stringify({ end: true, count, sequence, epoch, total })}\n`,
};
