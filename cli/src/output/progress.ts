import { fit, widthOf } from './terminal.ts';

const DRAW_INTERVAL_MS = 100;
/** The width of the bar in columns, including its brackets. A bar narrower than the minimum is omitted. */
const BAR_WIDTH = { min: 7, max: 26 };
const GAP = '  ';
/** The rate and the remaining time are computed from this period, not from the average since the start. */
const RATE_WINDOW_MS = 5_000;

export interface Amount {
  done: number;
  /** The expected total; undefined if it is unknown, as for a pipe. */
  total: number | undefined;
  /** Formats a count, for example as "3.1 MB". */
  format: (count: number) => string;
}

/** A line on stderr that is redrawn; nothing is shown unless stderr is a terminal that can redraw lines. */
export class ProgressLine {
  readonly #title: string;
  readonly #samples: { atMs: number; done: number }[] = [];
  #drawnAtMs = 0;
  #isDrawn = false;

  constructor(title: string) {
    this.#title = title;
  }

  show(amount: Amount, nowMs = performance.now()): void {
    if (!canDraw() || nowMs - this.#drawnAtMs < DRAW_INTERVAL_MS) return;
    this.#drawnAtMs = nowMs;
    this.#samples.push({ atMs: nowMs, done: amount.done });
    while ((this.#samples[0]?.atMs ?? nowMs) < nowMs - RATE_WINDOW_MS) this.#samples.shift();
    const parts = describeProgress(amount, this.#ratePerSecond());
    this.#draw(layOut(this.#title, amount, parts, terminalWidth()));
  }

  /** Shows a message while there is nothing to count. */
  say(words: string): void {
    if (canDraw()) this.#draw(`${this.#title}  ${words}`);
  }

  #draw(line: string): void {
    // Clear the line on exit, even after Ctrl-C.
    if (!this.#isDrawn) process.once('exit', () => this.clear());
    this.#isDrawn = true;
    process.stderr.write(`\r${fit(line, terminalWidth())}\u001b[K`);
  }

  /** Erases the line and moves the cursor to its start. */
  clear(): void {
    if (this.#isDrawn) process.stderr.write('\r\u001b[K');
    this.#isDrawn = false;
  }

  #ratePerSecond(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.atMs === first.atMs) return undefined;
    return ((last.done - first.done) / (last.atMs - first.atMs)) * 1_000;
  }
}

function canDraw(): boolean {
  return process.stderr.isTTY && process.env.TERM !== 'dumb';
}

/** The usable width, without the last column, where the cursor is. */
function terminalWidth(): number {
  return (process.stderr.columns || 80) - 1;
}

/** Fits the line into the columns: drops the bar first, then the amount, then the title. */
function layOut(title: string, { done, total }: Amount, [share, amount, ...pace]: string[], columns: number): string {
  const full = [title, share, amount, ...pace].join(GAP);
  const room = Math.min(BAR_WIDTH.max, columns - widthOf(full) - GAP.length);
  if (total !== undefined && room >= BAR_WIDTH.min) {
    return [title, drawBar(total === 0 ? 1 : done / total, room), share, amount, ...pace].join(GAP);
  }
  const narrower = [full, [title, share, ...pace].join(GAP)];
  return narrower.find((line) => widthOf(line) <= columns) ?? [share, ...pace].join(GAP);
}

function drawBar(share: number, width: number): string {
  const filled = Math.floor(Math.min(1, share) * (width - 2));
  return `[${'#'.repeat(filled)}${'.'.repeat(width - 2 - filled)}]`;
}

/** Formats the parts of the line that are known: percentage, amount, rate, and remaining time. */
function describeProgress({ done, total, format }: Amount, ratePerSecond: number | undefined): string[] {
  const rate = ratePerSecond === undefined ? [] : [`${format(ratePerSecond)}/s`];
  if (total === undefined) return [format(done), ...rate];
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const left = ratePerSecond ? [`${formatDuration((total - done) / ratePerSecond)} left`] : [];
  return [`${Math.floor(share * 100)}%`.padStart(4), `${format(done)} of ${format(total)}`, ...rate, ...left];
}

/** `0:03` or `1:02:03` */
function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** Formats a size in decimal units, such as "3.1 MB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
