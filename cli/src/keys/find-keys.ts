/** `plk_`, 32 random characters and 6 of checksum. */
const KEY_LENGTH = 42;
/** A look ahead, so that what only looks like a key cannot hide the beginning of a real one. */
const CANDIDATE = /(?=(plk_[0-9A-Za-z]{38}))/g;

export interface FoundKey {
  /** From 1. */
  line: number;
  /** All that may be shown of it. */
  start: string;
}

/**
 * Finds the keys in a file of any length, read in pieces; only those whose checksum is right, as keys that are made up for a
 * document harm nobody. Text in UTF-16 (as PowerShell writes it) is read, too.
 */
export async function* findKeys(
  pieces: AsyncIterable<Buffer>,
  isKey: (text: string) => boolean,
): AsyncGenerator<FoundKey> {
  let rest = '';
  let line = 1;
  for await (const piece of pieces) {
    const text = rest + piece.toString('latin1').replaceAll('\0', '');
    // What begins later can only be told with the next piece.
    const beginsBefore = Math.max(0, text.length - KEY_LENGTH + 1);
    let counted = 0;
    for (const { index, 1: candidate = '' } of text.matchAll(CANDIDATE)) {
      if (!isKey(candidate)) continue;
      line += countLines(text.slice(counted, index));
      counted = index;
      yield { line, start: `${candidate.slice(0, 8)}…` };
    }
    line += countLines(text.slice(counted, beginsBefore));
    rest = text.slice(beginsBefore);
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
