import type { MessagePort } from 'node:worker_threads';
import type { Separator } from '../../lib/csv-separator.ts';
import type { DateOrder } from '../../model/clean/dates.ts';
import type { DecimalSeparator } from '../../model/clean/numbers.ts';
import type { PlainError } from '../../model/errors.ts';
import type { FeedColumn } from '../../model/feeds.ts';
import type { ParsedRow } from '../contract/schemas/parse-row.ts';

// Messages between the serving and the reading thread. Each file has its own channel; closing it abandons the file.

export interface ReadingOptions {
  /** What each column or member contains, by its name: a field, a RESO name, `metadata.NAME`, or '' to skip it. */
  map: ReadonlyMap<string, string>;
  /** The meanings of words in a field, by `FIELD:WORD`; a meaning is written as in a CSV cell. */
  values: ReadonlyMap<string, string>;
  /** The values of fields in rows that do not have one, by field, written as in a CSV cell. */
  defaults: ReadonlyMap<string, string>;
  ignoreUnknown: boolean;
  /** Whether values such as $450,000 and 1,250 sq ft are accepted and converted. */
  clean: boolean;
  /** The order of numeric dates such as 03/04/2026; without it, they are invalid. Only with `clean`. */
  dates: DateOrder | undefined;
  /** The decimal separator of numbers; without it, ambiguous numbers such as 267.500 are invalid. Only with `clean`. */
  decimal: DecimalSeparator | undefined;
  /** The account's currency, with which `$` is compared, and its unit of areas. Only with `clean`. */
  units: { currency: string; areaUnits: string } | undefined;
  /** Whether a row changes only the fields that it has, or replaces the listing as PUT does. */
  mode: 'merge' | 'replace';
}

export interface ReadingRequest extends ReadingOptions {
  mediaType: string;
  isGzipped: boolean;
  /** The maximum decompressed size; undefined for no maximum. */
  bytesMax: number | undefined;
  /** The string that is hashed before the decompressed bytes; undefined if no fingerprint is needed. */
  fingerprintStart: string | undefined;
  /** Whether each invalid row lists its invalid fields; otherwise, only the first rows of a file do. */
  hasAllDetails: boolean;
  /**
   * Whether the file belongs to a feed. If so, its rows include their own values, CSV rows have a hash, known
   * rows are not read again, and a file that has no header or is cut short has the error `feed_guard`.
   */
  isFeed: boolean;
  /** The columns of the feed's earlier files. */
  lastColumns?: FeedColumn[];
  /** What determines how a feed's rows are read, except the header. It is part of each row's hash. */
  hashStart?: string;
}

export type ReadingStart = ReadingRequest & { port: MessagePort };

/** A row for another thread. Its content is a JSON string, which is transferred faster than an object. */
export type ReadRow = ReadBadRow | ReadGoodRow | ReadKnownRow;

interface ReadAnyRow {
  line: number;
  externalId: string | undefined;
  /** Whether an earlier row has the same external id; only in an import. */
  isRepeated: boolean;
  /** Whether the file ends in the middle of the row. */
  isCut?: boolean;
  /** The row's own values in a feed, as a JSON string: an object, or an array that is ordered like the header. */
  values: string | undefined;
}

/** A row that is invalid regardless of the account's listings. */
export interface ReadBadRow extends ReadAnyRow {
  issue: PlainError;
  /** In a feed, the external ids that the row can have if it is not valid CSV or JSON; other rows are complete. */
  possibleIds?: string[];
}

export interface ReadGoodRow extends ReadAnyRow, ParsedRow {
  id: string | undefined;
  /** The number of values that were not written as the API writes them. */
  cleaned: number;
  /** Only for a CSV row of a feed. */
  hash?: string;
}

/** A row of a feed with the hash of a row that a listing still matches, so its values are not read again. */
interface ReadKnownRow extends ReadAnyRow {
  values: string;
  hash: string;
}

/** The header of a CSV file. */
export interface ReadHeader {
  cells: (string | undefined)[];
  separator: Separator;
}

/** What is probably wrong with the values of a field, although each of them is valid. */
export interface FileWarning {
  field: string;
  message: string;
}

/** A message to the reading thread. */
export type ReadingOrder =
  /** Hashes of known rows, sent before the first chunk. */
  | { is: 'known'; hashes: string[] }
  | { is: 'chunk'; chunk: Uint8Array }
  | { is: 'end' }
  /** The body was cut off. */
  | { is: 'broken' }
  /** A batch was taken. */
  | { is: 'taken' };

/** A message from the reading thread. */
export type ReadingReport =
  /** Ready for the next chunk. */
  | { is: 'ready' }
  /** Sent before the first row of a CSV file. */
  | { is: 'header'; header: ReadHeader }
  /** `bytes` were decompressed since the previous batch. */
  | { is: 'batch'; rows: ReadRow[]; bytes: number }
  | { is: 'end'; fingerprint: string | undefined; warnings: FileWarning[] }
  | { is: 'failed'; error: PlainError }
  /** A bug, for the log. */
  | { is: 'crashed'; stack: string };
