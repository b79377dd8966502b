import { countWaiting } from '../lib/turns.ts';
import { RUN_LENGTH } from '../storage/database.ts';

/** V8 keeps longer texts in a space of their own, and a reader who pauses holds four times as much. */
const BYTES_MAX = 120 * 1024;
/** Of all lists that are being sent, together. */
const ALL_BYTES_MAX = 4 * 1024 * 1024;
/** Less than that, and most of the time goes into finding where to read on. */
const PART_MIN = 1 / 8;

/** How many listings of a list are read at a time, and how long their texts may be together: the more lists are being sent, the less. */
export function runSize(): { limit: number; bytesMax: number } {
  const part = Math.min(1, Math.max(PART_MIN, ALL_BYTES_MAX / BYTES_MAX / (1 + countWaiting())));
  return { limit: Math.ceil(RUN_LENGTH * part), bytesMax: Math.ceil(BYTES_MAX * part) };
}
