import type { WriteStream } from 'node:tty';
import stringWidth from 'string-width';

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** Colors the text if the output is a terminal with colors and `NO_COLOR` is not set. */
export function paint(output: WriteStream, style: keyof typeof CODES, text: string): string {
  // An empty `NO_COLOR` has no effect (https://no-color.org).
  if (!output.isTTY || process.env.NO_COLOR || !output.hasColors()) return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** Makes an untrusted string safe for one line: control characters could move the cursor or change colors. */
export function toLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/** Makes an untrusted string safe for a terminal, but keeps line breaks and tabs. */
export function toShown(text: string): string {
  return text.replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}

/** Formats a value as one line of JSON that is safe for a terminal: control characters are escaped. */
export function toJson(value: object): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

const graphemes = new Intl.Segmenter();

/** The number of terminal columns that the string occupies. Some characters occupy two columns, and some none. */
export function widthOf(text: string): number {
  // A fast path for ASCII; stringWidth is a hundred times slower.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Truncates a string that is wider than `columns`, and marks the cut with `…`. */
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

/** Pads the string with spaces on the right or, with `isRight`, aligns it to the right. */
export function pad(text: string, columns: number, isRight = false): string {
  const spaces = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return isRight ? spaces + text : text + spaces;
}
