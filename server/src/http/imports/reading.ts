import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../model/errors.ts';

// Messages between the serving and the reading thread. Each file has its own channel; closing the
// channel abandons the file.

export interface ReadingRequest {
  mediaType: string;
  ignoreUnknown: boolean;
  isGzipped: boolean;
  /** The limit of the decompressed size; undefined for none. */
  bytesMax: number | undefined;
  /**
   * The text that is hashed before the decompressed bytes; undefined if no fingerprint is needed.
   */
  fingerprintStart: string | undefined;
}

export type ReadingStart = ReadingRequest & { port: MessagePort };

/**
 * A row for another thread. Its content is JSON text, which is transferred faster than an object.
 */
export type ReadRow = { line: number; issue: PlainError } | ReadGoodRow;

export interface ReadGoodRow {
  line: number;
  id: string | undefined;
  externalId: string | undefined;
  /** The listing as JSON text, or its error. */
  input: string | PlainError;
  /**
   * The changes to an existing listing, as JSON text; undefined if the row has the whole listing.
   */
  changes: string | undefined;
}

/** A message to the reading thread. */
export type ReadingOrder =
  | { is: 'chunk'; chunk: Uint8Array }
  /** The body has ended. */
  | { is: 'end' }
  /** The body was cut off. */
  | { is: 'broken' }
  /** A batch was taken. */
  | { is: 'taken' };

/** A message from the reading thread. */
export type ReadingReport =
  /** Ready for the next chunk. */
  | { is: 'ready' }
  /** `bytes` were decompressed since the previous batch. */
  | { is: 'batch'; rows: ReadRow[]; bytes: number }
  | { is: 'end'; fingerprint: string | undefined }
  | { is: 'failed'; error: PlainError }
  /** A bug, for the log. */
  | { is: 'crashed'; stack: string };
