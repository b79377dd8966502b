import { countWaiting } from '../../lib/turns.ts';
import { RUN_BYTES_MAX, RUN_LENGTH } from '../../storage/runs.ts';

/** V8 keeps longer strings in a separate space, where a slow client's response takes four times the memory. */
const BYTES_MAX = 120 * 1024;
/** Maximum total bytes of the current runs of all lists that are being sent, as far as `PART_MIN` allows. */
const ALL_BYTES_MAX = 4 * 1024 * 1024;
/** Longer pages are read while they are sent: a thousand listings in one string burden the garbage collector. */
const WHOLE_LENGTH_MAX = 300;
/** Maximum number of pages that are read as a whole at the same time. */
const PAGES_WHOLE = 8;
/** The smallest fraction of a full run. With smaller runs, finding their starts would take most of the time. */
const PART_MIN = 1 / 8;

/** The size of a list's next run, which shrinks as the number of lists that are being sent grows. */
export function runSize(): { limit: number; bytesMax: number } {
  const part = Math.min(1, Math.max(PART_MIN, ALL_BYTES_MAX / BYTES_MAX / (1 + countWaiting())));
  return { limit: Math.ceil(RUN_LENGTH * part), bytesMax: Math.ceil(BYTES_MAX * part) };
}

let pages = 0;

/**
 * Reads a page of `length` as a whole, or only its first run if many pages are being read, or if the page is
 * long and can be streamed.
 */
export async function readFirst<T>(
  length: number,
  canBeStreamed: boolean,
  read: (size: { limit: number; bytesMax: number }) => Promise<T>,
): Promise<T> {
  const { limit, bytesMax } = runSize();
  const isWhole = (length <= WHOLE_LENGTH_MAX || !canBeStreamed) && pages < PAGES_WHOLE;
  pages += 1;
  try {
    return await read(
      isWhole ? { limit: length, bytesMax: RUN_BYTES_MAX } : { limit: Math.min(length, limit), bytesMax },
    );
  } finally {
    pages -= 1;
  }
}
