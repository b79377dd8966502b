import type { WriteStream } from 'node:tty';
import stringWidth from 'string-width';

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

type Output = Pick<WriteStream, 'isTTY' | 'hasColors'>;

/** Colors the text if the output is a terminal with colors and `NO_COLOR` is not set. */
export function paint(output: Output, style: keyof typeof CODES, text: string): string {
  if (!hasColors(output)) return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

function hasColors(output: Output): boolean {
  // An empty value does not count (https://no-color.org).
  return output.isTTY && !process.env.NO_COLOR && output.hasColors();
}

/** Makes untrusted text safe for one line of a terminal: no control character can move the cursor or change colors. */
export function toLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/** Makes untrusted text safe for a terminal, and keeps line breaks and tabs. */
export function toShown(text: string): string {
  return text.replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}

/** Like `toLine`, but keeps line feeds. */
export function toLines(text: string): string {
  return text.split('\n').map(toLine).join('\n');
}

/** One line of JSON that is safe for a terminal: control characters are escaped, which preserves the value. */
export function toJson(value: object): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

const graphemes = new Intl.Segmenter();

/** The number of columns that the text takes: some characters take two, some none. */
export function widthOf(text: string): number {
  // A fast path for ASCII; stringWidth is a hundred times slower.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Truncates text that is wider than the columns, and marks the cut with `…`. */
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

/** Pads the text with spaces on the right, or on the left. */
export function pad(text: string, columns: number, isRight = false): string {
  const spaces = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return isRight ? spaces + text : text + spaces;
}
