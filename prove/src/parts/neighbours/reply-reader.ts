const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';
/** How much of a response is kept: enough for the error code and the first details. */
const BEGINNING_BYTES = 1_000;

/** Finds the ends of responses without storing their content, so that reading is cheap. */
export class ReplyReader {
  readonly #onReply: (status: number, codes: readonly string[]) => void;
  readonly #expected: { isHead: boolean; resolve: (staysOpen: boolean) => void }[] = [];
  #head = '';
  /** How many bytes of the body remain; undefined while the headers are being read. */
  #left: number | undefined;
  #isChunked = false;
  #tail = '';
  #beginning = '';

  constructor(onReply: (status: number, codes: readonly string[]) => void) {
    this.#onReply = onReply;
  }

  /** Resolves after the next response, with whether the connection stays open. */
  expect(isHead: boolean): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#expected.push({ isHead, resolve });
    return promise;
  }

  read(bytes: Buffer): void {
    let start = 0;
    while (start < bytes.length) {
      start = this.#left === undefined ? this.#readHead(bytes, start) : this.#readBody(bytes, start);
      if (this.#left === 0) this.#end();
    }
  }

  #readHead(bytes: Buffer, start: number): number {
    const before = this.#head.length;
    this.#head += bytes.toString('latin1', start, start + 32_768);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return Math.min(bytes.length, start + 32_768);
    this.#head = this.#head.slice(0, end);
    const isInterim = /^HTTP\/1\.1 1/.test(this.#head);
    const isBare = /^HTTP\/1\.1 (204|304)/.test(this.#head) || (this.#expected[0]?.isHead ?? false);
    this.#isChunked = !isBare && /\r\ntransfer-encoding: *chunked/i.test(this.#head);
    this.#left = isBare ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1] ?? 0);
    if (this.#isChunked) this.#left = Number.POSITIVE_INFINITY;
    this.#tail = '\r\n';
    this.#beginning = '';
    if (isInterim) {
      this.#head = '';
      this.#left = undefined;
    }
    return start + end + HEAD_END.length - before;
  }

  #readBody(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + (this.#left ?? 0));
    if (this.#beginning.length < BEGINNING_BYTES)
      this.#beginning += bytes.toString('latin1', start, Math.min(end, start + BEGINNING_BYTES));
    if (this.#isChunked) {
      // Without pipelining, no bytes follow the last chunk.
      this.#tail = (this.#tail + bytes.toString('latin1', Math.max(start, end - LAST_CHUNK.length), end)).slice(-7);
      if (this.#tail === LAST_CHUNK) this.#left = 0;
    } else this.#left = (this.#left ?? 0) - (end - start);
    return end;
  }

  #end(): void {
    const status = Number(this.#head.slice(9, 12));
    const staysOpen = !/\r\nconnection: *close/i.test(this.#head);
    const codes = status >= 400 ? this.#beginning.matchAll(/"code":"(\w+)"/g) : [];
    this.#head = '';
    this.#left = undefined;
    this.#onReply(status, [...new Set(Array.from(codes, ([, code = '']) => code))]);
    this.#expected.shift()?.resolve(staysOpen);
  }
}
