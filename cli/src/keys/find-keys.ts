import { describeKeyFault } from '@property-listings/client';

/** `plk_`, 32 random characters, and a checksum of 6. */
const KEY_LENGTH = 42;
/** A lookahead also finds a candidate that starts inside another. */
const CANDIDATE = /(?=(plk_[0-9A-Za-z]{38}))/g;

export interface FoundKey {
  /** The line number, counted from 1. */
  line: number;
  /** The part that is safe to print. */
  start: string;
}

/** Finds keys in a stream of any length, including UTF-16 text, which PowerShell writes. */
export async function* findKeys(chunks: AsyncIterable<Buffer>): AsyncGenerator<FoundKey> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1').replaceAll('\0', '');
    // Only a candidate that starts before this position is complete; a later one may continue in the next chunk.
    const decidedLength = Math.max(0, text.length - KEY_LENGTH + 1);
    let counted = 0;
    for (const { index, 1: candidate = '' } of text.matchAll(CANDIDATE)) {
      // Made-up keys in documents have a wrong checksum.
      if (describeKeyFault(candidate) !== undefined) continue;
      line += countLines(text.slice(counted, index));
      counted = index;
      yield { line, start: `${candidate.slice(0, 8)}…` };
    }
    line += countLines(text.slice(counted, decidedLength));
    rest = text.slice(decidedLength);
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
