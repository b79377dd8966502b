import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from './exit-codes.ts';
import { formatBytes, ProgressLine } from './output/progress.ts';
import { note } from './output/standard-output.ts';
import { toLine } from './output/terminal.ts';

/** How gzip begins (RFC 1952). */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A file, or stdin, in the pieces in which it is sent; the progress says how much of it was taken. */
export class ImportFile {
  readonly progress = new ProgressLine('Importing');
  readonly #name: string;
  #opened: AsyncIterator<Buffer> | undefined;
  #first: IteratorResult<Buffer> | undefined;
  #done = 0;
  /** What prevented it from being read to its end. */
  fault: CommandError | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** As its first bytes tell, whatever its name is. */
  async isPacked(): Promise<boolean> {
    if (this.#name === '-' && process.stdin.isTTY) note('Type the rows; Ctrl-D ends them.');
    this.#first = await this.#next();
    return this.#first.done !== true && this.#first.value.subarray(0, GZIP.length).equals(GZIP);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      const total = await this.#size();
      for (let next = this.#first ?? (await this.#next()); !next.done; next = await this.#next()) {
        this.progress.show({ done: this.#done, total, format: formatBytes });
        yield next.value;
        this.#done += next.value.length;
      }
    } finally {
      // Who no longer reads does not wait for what comes.
      await this.#opened?.return?.();
    }
    this.progress.say(`${formatBytes(this.#done)} sent, waiting for the service`);
  }

  describeSent(): string {
    return `${formatBytes(this.#done)} of ${toLine(this.#name)} had been sent`;
  }

  #open(): AsyncIterable<Buffer> {
    return this.#name === '-' ? process.stdin : createReadStream(this.#name);
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      this.#opened ??= this.#open()[Symbol.asyncIterator]();
      return await this.#opened.next();
    } catch (error) {
      const words = error instanceof Error ? error.message : error;
      this.fault = new CommandError(`${toLine(this.#name)} cannot be read: ${words}`);
      throw this.fault;
    }
  }

  /** Unknown for a pipe. */
  async #size(): Promise<number | undefined> {
    if (this.#name === '-') return undefined;
    const file = await stat(this.#name);
    return file.isFile() ? file.size : undefined;
  }
}
