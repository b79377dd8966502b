import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from './exit-codes.ts';
import { formatBytes, ProgressLine } from './output/progress.ts';

/** A file, or stdin, in the pieces in which it is sent; the progress says how much of it was taken. */
export class ImportFile {
  readonly progress = new ProgressLine('Importing');
  readonly #name: string;
  /** What prevented it from being read to its end. */
  fault: CommandError | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    let done = 0;
    try {
      const total = await this.#size();
      for await (const piece of this.#name === '-' ? process.stdin : createReadStream(this.#name)) {
        this.progress.show({ done, total, format: formatBytes });
        yield piece;
        done += piece.length;
      }
    } catch (error) {
      this.fault = new CommandError(`${this.#name} cannot be read: ${error instanceof Error ? error.message : error}`);
      throw this.fault;
    }
    this.progress.say(`${formatBytes(done)} sent, waiting for the service`);
  }

  /** Unknown for a pipe. */
  async #size(): Promise<number | undefined> {
    if (this.#name === '-') return undefined;
    const file = await stat(this.#name);
    return file.isFile() ? file.size : undefined;
  }
}
