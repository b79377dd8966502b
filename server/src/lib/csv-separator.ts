const SEPARATORS = [',', ';', '\t'] as const;

export type Separator = (typeof SEPARATORS)[number];

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];
/** If the first line is longer, only its beginning is used to choose the separator. */
const LENGTH_MAX = 16 * 1024;
const CELLS_MAX = 500;

/** Collects the bytes of a file until they include the first line with content. */
export class FirstLine {
  #bytes = Buffer.alloc(0);
  #isQuoted = false;
  #hasContent = false;

  /** @returns all bytes so far, once they include the whole line or reach `LENGTH_MAX` */
  add(chunk: Buffer): Buffer | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const isLong = this.#bytes.length >= LENGTH_MAX;
    return isLong || chunk.some((byte) => this.#endsLine(byte)) ? this.#bytes : undefined;
  }

  /** All bytes so far, for a file that ends before `add` has returned them. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  #endsLine(byte: number): boolean {
    const isBreak = byte === LINE_FEED || byte === CARRIAGE_RETURN;
    if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
    if (!isBreak) this.#hasContent = true;
    return isBreak && this.#hasContent && !this.#isQuoted;
  }
}

/** The separator that splits a file's first line into the most known names or, if several do, the most cells. */
export function chooseSeparator(bytes: Buffer, isKnown: (name: string) => boolean): Separator {
  const text = bytes.subarray(0, LENGTH_MAX).toString('latin1').trimStart();
  let best: { separator: Separator; known: number; count: number } = { separator: ',', known: 0, count: 1 };
  for (const separator of SEPARATORS) {
    const cells = cutFirstLine(text, separator);
    const known = cells.filter(isKnown).length;
    const isBetter = known > best.known || (known === best.known && cells.length > best.count);
    if (cells.length > 1 && isBetter) best = { separator, known, count: cells.length };
  }
  return best.separator;
}

function cutFirstLine(text: string, separator: Separator): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === '\n' || character === '\r' || cells.length === CELLS_MAX) break;
    else if (character !== separator) cell += character;
    else {
      cells.push(cell.trim());
      cell = '';
    }
  }
  return [...cells, cell.trim()];
}
