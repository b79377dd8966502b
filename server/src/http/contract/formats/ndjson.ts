import { type ListFormat, pickFields } from './list-format.ts';

/** One listing per line, then a line that marks the end, which a truncated list lacks. */
export const ndjsonFormat: ListFormat = {
  mediaType: 'application/x-ndjson',
  contentType: 'application/x-ndjson',
  hasDistance: true,
  begin: () => '',
  rows: (docs, fields, near) => docs.map((doc) => `${fields === undefined ? doc : pickFields(doc, fields, near)}\n`),
  separator: '',
  end: ({ sequence, epoch, total }, count) => `${JSON.stringify({ end: true, count, sequence, epoch, total })}\n`,
};
