import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../model/errors.ts';

// What the serving thread and the thread that reads a file tell each other, on a channel of the file's own. Closing the
// channel gives the file up.

/** What is to be read, and as what. */
export interface ReadingRequest {
  mediaType: string;
  ignoreUnknown: boolean;
  /** Whether the bytes are gzip. */
  isPacked: boolean;
  /** How many bytes the unpacked file may have; undefined for any number. */
  bytesMax: number | undefined;
  /** What the hash of the unpacked bytes begins with; undefined if none is wanted. */
  fingerprintStart: string | undefined;
}

export type ReadingStart = ReadingRequest & { port: MessagePort };

/** A row as plain data: what it says is JSON text, which passes between threads faster than an object. */
export type ReadRow = { line: number; issue: PlainError } | ReadGoodRow;

export interface ReadGoodRow {
  line: number;
  id: string | undefined;
  externalId: string | undefined;
  /** The listing that the row makes, or why it cannot make one. */
  input: string | PlainError;
  /** What the row changes in a listing that exists; undefined if it says all of it. */
  changes: string | undefined;
}

/** To the thread that reads. */
export type ReadingOrder =
  | { is: 'chunk'; chunk: Uint8Array }
  /** The body has ended. */
  | { is: 'end' }
  /** The body ended before it was whole. */
  | { is: 'broken' }
  /** A batch was taken: another one may come. */
  | { is: 'taken' };

/** From the thread that reads. */
export type ReadingReport =
  /** All that came of the body has been read. */
  | { is: 'hungry' }
  /** `bytes`: how many were unpacked since the batch before. */
  | { is: 'batch'; rows: ReadRow[]; bytes: number }
  | { is: 'end'; fingerprint: string | undefined }
  | { is: 'failed'; error: PlainError }
  /** A fault of ours; for the log. */
  | { is: 'crashed'; stack: string };
