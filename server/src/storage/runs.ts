/** Maximum bytes per read. Such a read takes at most ten milliseconds, even with three-byte characters. */
export const RUN_BYTES_MAX = 1024 * 1024;
/**
 * Maximum listings per read of a complete list or a long page. A read returns fewer if the listings are large or
 * if many lists are being sent. A run of 150 typical listings stays below 128 KiB, because V8 keeps longer
 * strings in a separate space.
 */
export const RUN_LENGTH = 150;

export interface Run<R> {
  rows: R[];
  /** Whether the read stopped at `bytesMax`, so more rows may follow. */
  isCut: boolean;
}

/** Rows in packs of `RUN_LENGTH`, which take little memory until they are opened. */
export interface PackedRows<R> {
  packs: (() => R[])[];
  count: number;
}
