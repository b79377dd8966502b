import { fit } from './terminal.ts';

const DRAW_INTERVAL_MS = 100;
const BAR_WIDTH = 24;
/** The remaining time is told by the rate of the last seconds, which is not that of the start. */
const RATE_WINDOW_MS = 5_000;

export interface Amount {
  done: number;
  /** Unknown for a pipe. */
  total: number | undefined;
  /** Such as "3.1 MB". */
  format: (count: number) => string;
}

/** A line on stderr that is drawn again and again; nothing at all where it cannot be. */
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
    this.#draw([this.#title, ...describeProgress(amount, this.#ratePerSecond())].join('  '));
  }

  /** What stands there while nothing can be counted. */
  say(words: string): void {
    if (canDraw()) this.#draw(`${this.#title}  ${words}`);
  }

  #draw(line: string): void {
    // Ctrl-C leaves no half of it behind either.
    if (!this.#isDrawn) process.once('exit', () => this.clear());
    this.#isDrawn = true;
    process.stderr.write(`\r${fit(line, (process.stderr.columns || 80) - 1)}\u001b[K`);
  }

  /** Takes the line away, so that what follows begins where it stood. */
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

/** The parts of the line: bar, amount, rate and remaining time, as far as they are known. */
function describeProgress({ done, total, format }: Amount, ratePerSecond: number | undefined): string[] {
  const rate = ratePerSecond === undefined ? [] : [`${format(ratePerSecond)}/s`];
  if (total === undefined) return [format(done), ...rate];
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
  const left = ratePerSecond ? [`${formatDuration((total - done) / ratePerSecond)} left`] : [];
  return [bar, `${Math.floor(share * 100)}%`.padStart(4), `${format(done)} of ${format(total)}`, ...rate, ...left];
}

/** Seconds as `0:03`, or `1:02:03`. */
function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** Decimal units, as file managers show them. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
