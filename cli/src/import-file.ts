import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { CurlOptions } from './connection.ts';
import { CommandError } from './exit-codes.ts';
import { formatBytes, ProgressLine } from './output/progress.ts';
import { note } from './output/standard-output.ts';
import { toLine } from './output/terminal.ts';

/** The first bytes of gzip (RFC 1952). */
const GZIP = Buffer.from([0x1f, 0x8b]);

type Request<T> = (content: AsyncIterable<Uint8Array>, headers: Record<string, string>) => PromiseLike<T>;

/** A file, or stdin for `-`, sent in chunks with a progress line. */
export class ImportFile {
  readonly progress: ProgressLine;
  readonly #name: string;
  readonly #chunks = this.#open();
  #input: Readable | undefined;
  #first: IteratorResult<Buffer> | undefined;
  #done = 0;
  #fault: CommandError | undefined;

  constructor(name: string, title: string) {
    this.#name = name;
    this.progress = new ProgressLine(title);
  }

  /**
   * Sends the file. With `--curl`, the file is not read, and only its name shows whether it is compressed.
   * @param interruption what the user must know if the program is interrupted while it sends the file
   */
  async send<T>(request: Request<T>, { curl }: CurlOptions, interruption: string): Promise<T> {
    const onExit = () => {
      this.progress.clear();
      note(`Interrupted after sending ${formatBytes(this.#done)} of ${toLine(this.#name)}. ${interruption}`);
    };
    process.once('exit', onExit);
    try {
      const isGzip = curl ? /\.gz$/i.test(this.#name) : await this.#isCompressed();
      return await request(this.#read(), isGzip ? { 'Content-Encoding': 'gzip' } : {});
    } catch (error) {
      throw this.#fault ?? error;
    } finally {
      process.off('exit', onExit);
      this.progress.clear();
      // An open stdin would keep the process running.
      this.#input?.destroy();
    }
  }

  async #isCompressed(): Promise<boolean> {
    if (this.#name === '-' && process.stdin.isTTY) note('Type the rows, then press Ctrl-D.');
    this.#first = await this.#chunks.next();
    return this.#first.done !== true && this.#first.value.subarray(0, GZIP.length).equals(GZIP);
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    const total = await this.#size();
    for (let next = this.#first ?? (await this.#chunks.next()); !next.done; next = await this.#chunks.next()) {
      this.progress.show({ done: this.#done, total, format: formatBytes });
      // Count the chunk before it is sent, because its rows may be saved before the next chunk is requested.
      this.#done += next.value.length;
      yield next.value;
    }
    this.progress.say(`${formatBytes(this.#done)} sent, waiting for the service`);
  }

  async *#open(): AsyncGenerator<Buffer> {
    try {
      this.#input = this.#name === '-' ? process.stdin : createReadStream(this.#name);
      yield* this.#input;
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      this.#fault = new CommandError(`Cannot read ${toLine(this.#name)}: ${reason}`);
      throw this.#fault;
    }
  }

  async #size(): Promise<number | undefined> {
    if (this.#name === '-') return undefined;
    const file = await stat(this.#name);
    return file.isFile() ? file.size : undefined;
  }
}
