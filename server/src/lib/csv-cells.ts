const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];

export interface CutRecord {
  cells: string[];
  hasQuotes: boolean;
  /** The number of characters before the line break. */
  length: number;
}

/**
 * Splits CSV text (RFC 4180, with any line breaks) into records and their cells in one pass. A quote inside
 * an unquoted cell is an ordinary character. If other characters follow a closing quote, both quotes are
 * ordinary characters, too.
 */
export class CellCutter {
  readonly #separator: number;
  readonly #onRecord: (record: CutRecord) => void;
  /**
   * What precedes the next character: a separator or line break (`start`), a part of an unquoted or quoted
   * cell, a closing quote, or the CR at the end of a line (`return`).
   */
  #place: 'start' | 'plain' | 'quoted' | 'closed' | 'return' = 'start';
  #cell = '';
  #hasQuotes = false;
  /** Where the unfinished record begins in the current chunk; negative if it begins in an earlier chunk. */
  #start = 0;
  /** The finished cells of the unfinished record. */
  cells: string[] = [];

  constructor(separator: string, onRecord: (record: CutRecord) => void) {
    this.#separator = separator.charCodeAt(0);
    this.#onRecord = onRecord;
  }

  /** The length of the unfinished record. */
  get length(): number {
    return -this.#start;
  }

  write(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#place === 'plain') at = this.#readPlain(text, at);
      else if (this.#place === 'quoted') at = this.#readQuoted(text, at);
      else at = this.#readOne(text, at);
    }
    this.#start -= text.length;
  }

  /** Ends the last record. @returns false if the text ends inside a quoted cell */
  end(): boolean {
    if (this.#place === 'quoted') return false;
    const isOpen = this.#place === 'plain' || this.#place === 'closed' || this.cells.length > 0;
    if (isOpen) this.#endRecord(0);
    return true;
  }

  #readPlain(text: string, at: number): number {
    let end = at;
    while (end < text.length && !this.#endsCell(text.charCodeAt(end))) end += 1;
    this.#cell += text.slice(at, end);
    return end === text.length ? end : this.#endCell(text.charCodeAt(end), end + 1);
  }

  #readQuoted(text: string, at: number): number {
    let quote = text.indexOf('"', at);
    while (quote !== -1 && text.charCodeAt(quote + 1) === QUOTE) quote = text.indexOf('"', quote + 2);
    const part = text.slice(at, quote === -1 ? text.length : quote);
    // Adding one quote at a time would turn a long cell of quotes into a chain of equally many strings.
    this.#cell += part.includes('"') ? part.replaceAll('""', '"') : part;
    if (quote === -1) return text.length;
    this.#place = 'closed';
    return quote + 1;
  }

  /** Reads a character that decides how the next ones are read. */
  #readOne(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (this.#place === 'closed') return this.#readAfterQuote(code, at);
    if (this.#place === 'return' && code === LINE_FEED) {
      this.#place = 'start';
      this.#start = at + 1;
      return at + 1;
    }
    if (code !== QUOTE) {
      this.#place = 'plain';
      return at;
    }
    this.#place = 'quoted';
    this.#hasQuotes = true;
    return at + 1;
  }

  #readAfterQuote(code: number, at: number): number {
    if (this.#endsCell(code)) return this.#endCell(code, at + 1);
    this.#place = code === QUOTE ? 'quoted' : 'plain';
    this.#cell = code === QUOTE ? `${this.#cell}"` : `"${this.#cell}"`;
    return code === QUOTE ? at + 1 : at;
  }

  #endsCell(code: number): boolean {
    return code === this.#separator || code === LINE_FEED || code === CARRIAGE_RETURN;
  }

  /** Ends a cell at a separator or line break. @returns `next`, where the next cell begins */
  #endCell(code: number, next: number): number {
    if (code === this.#separator) {
      this.cells.push(this.#cell);
      this.#cell = '';
      this.#place = 'start';
      return next;
    }
    this.#endRecord(next - 1);
    this.#place = code === CARRIAGE_RETURN ? 'return' : 'start';
    this.#start = next;
    return next;
  }

  /** Ends a record whose last character is before `end`. */
  #endRecord(end: number): void {
    const { cells } = this;
    cells.push(this.#cell);
    const record = { cells, hasQuotes: this.#hasQuotes, length: end - this.#start };
    this.cells = [];
    this.#cell = '';
    this.#hasQuotes = false;
    this.#onRecord(record);
  }
}
