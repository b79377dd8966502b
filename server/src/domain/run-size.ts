import { countWaiting } from '../lib/turns.ts';
import { RUN_BYTES_MAX, RUN_LENGTH } from '../storage/database.ts';

/** V8 keeps longer texts in a space of their own, and a reader who pauses holds four times as much. */
const BYTES_MAX = 120 * 1024;
/** Of all lists that are being sent, together. */
const ALL_BYTES_MAX = 4 * 1024 * 1024;
/** While more pages than that are being read, they are sent while they are read, as lists are. */
const PAGES_WHOLE = 8;
/** Less than that, and most of the time goes into finding where to read on. */
const PART_MIN = 1 / 8;

/** How many listings of a list are read at a time, and how long their texts may be together: the more lists are being sent, the less. */
export function runSize(): { limit: number; bytesMax: number } {
  const part = Math.min(1, Math.max(PART_MIN, ALL_BYTES_MAX / BYTES_MAX / (1 + countWaiting())));
  return { limit: Math.ceil(RUN_LENGTH * part), bytesMax: Math.ceil(BYTES_MAX * part) };
}

let pages = 0;

/** Reads the first listings of a page of `length`: all of them, or fewer while many pages are being read. */
export async function readFirst<T>(
  length: number,
  read: (size: { limit: number; bytesMax: number }) => Promise<T>,
): Promise<T> {
  const { limit, bytesMax } = runSize();
  const isWhole = pages < PAGES_WHOLE;
  pages += 1;
  try {
    return await read(
      isWhole ? { limit: length, bytesMax: RUN_BYTES_MAX } : { limit: Math.min(length, limit), bytesMax },
    );
  } finally {
    pages -= 1;
  }
}
