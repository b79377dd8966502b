import { encodeCell, toCsvLine } from '../schemas/listing-csv.ts';
import { LISTING_FIELDS } from '../schemas/listings.ts';
import type { ListFormat } from './list-format.ts';

/** RFC 4180, with a header row. */
export const csvFormat: ListFormat = {
  mediaType: 'text/csv',
  // Without a charset, some clients assume ISO 8859-1.
  contentType: 'text/csv; charset=utf-8',
  headers: ({ sequence, epoch, total }) => ({
    'X-Sequence': String(sequence),
    'X-Epoch': epoch,
    ...(total !== undefined && { 'X-Total-Count': String(total) }),
  }),
  begin: (fields = LISTING_FIELDS) => toCsvLine(fields),
  rows: (docs, fields = LISTING_FIELDS) =>
    docs.map((doc) => {
      const listing = JSON.parse(doc);
      return toCsvLine(fields.map((field) => encodeCell(listing[field])));
    }),
  separator: '',
  end: () => '',
};
