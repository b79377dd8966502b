import type { WriteStream } from 'node:tty';
import stringWidth from 'string-width';

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39] } as const;

type Output = Pick<WriteStream, 'isTTY' | 'hasColors'>;

/** Coloured where the output is a terminal that has colours and nobody has set `NO_COLOR`. */
export function paint(output: Output, style: keyof typeof CODES, text: string): string {
  if (!hasColors(output)) return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

function hasColors(output: Output): boolean {
  // https://no-color.org: any value but an empty one.
  return output.isTTY && !process.env.NO_COLOR && output.hasColors();
}

/** One line that a terminal shows as it is: what came from elsewhere must not move its cursor or change its colours. */
export function toLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/** Text of any length, with its lines and tabs, that changes nothing but the screen's text. */
export function toShown(text: string): string {
  return text.replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}

/** As `toLine`, and keeps the lines. */
export function toLines(text: string): string {
  return text.split('\n').map(toLine).join('\n');
}

/** JSON of one line; what a terminal would obey stands in it as `\u009b`, which is the same text. */
export function toJson(value: object): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

const graphemes = new Intl.Segmenter();

/** How many columns a text takes: some characters take two, some none. */
export function widthOf(text: string): number {
  // Most texts; the rest takes a hundred times as long.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** The text in so many columns at most, cut with `…` where it is longer. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    cut += segment;
  }
  return columns > 0 ? `${cut}…` : '';
}

/** The text with spaces behind it, or in front of it. */
export function pad(text: string, columns: number, isRight = false): string {
  const spaces = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return isRight ? spaces + text : text + spaces;
}
