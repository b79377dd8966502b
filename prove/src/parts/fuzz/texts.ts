import { readTexts } from '../../texts.ts';

/** Texts that break programs. */
export const TEXTS = [...readTexts(new URL('texts.jsonl', import.meta.url)).values()].flat();

export function textsAround(lengthMax: number): string[] {
  return [
    'x'.repeat(lengthMax),
    'x'.repeat(lengthMax + 1),
    '😀'.repeat(lengthMax),
    '😀'.repeat(lengthMax + 1),
    'e\u0301'.repeat(lengthMax),
    `   ${'x'.repeat(lengthMax)}   `,
    '\u0958'.repeat(lengthMax),
    `${'w'.repeat(lengthMax - 1)}\u0301\u0302`,
  ];
}

/** A field's rules. */
export interface Place {
  lengthMax: number;
  /** Line feeds and tabs are allowed. */
  isMultiline?: boolean;
  /** Blanks are kept, and empty text is allowed. */
  isRaw?: boolean;
  /** A rule that the document gives in words. */
  isRefused?: (text: string) => boolean;
}

/** A text is stored in this form, or rejected with one of these codes. */
export type Fate = { stored: string } | { codes: string[] };

/** Contract §2, implemented a second time: length in code points, in NFC, trimmed. */
export function fateOf(text: string, { lengthMax, isMultiline = false, isRaw = false, isRefused }: Place): Fate {
  const normal = text.normalize('NFC');
  const stored = isRaw ? normal : normal.trim();
  const control = isMultiline ? /[\p{Cc}--[\n\t]]/v : /\p{Cc}/u;
  const codes = [
    stored === '' && !isRaw ? 'blank' : '',
    [...stored].length > lengthMax ? 'too_long' : '',
    control.test(stored) || !stored.isWellFormed() || isRefused?.(stored) ? 'invalid_format' : '',
  ].filter((code) => code !== '');
  return codes.length === 0 ? { stored } : { codes };
}

/** Names a directory in a path. */
export function isDots(text: string): boolean {
  return text === '.' || text === '..';
}
