import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../lib/log.ts';

/** Whoever reads it becomes the administrator. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** The file with the link by which the first administrator comes in. */
export class SetupLink {
  readonly #path: string;
  readonly #log: Log;

  constructor(dataDirectory: string, log: Log) {
    this.#path = join(dataDirectory, 'setup-link.txt');
    this.#log = log;
  }

  /** The file in the data directory, if it is there: another process may have written or removed it. */
  get file(): string | null {
    return existsSync(this.#path) ? basename(this.#path) : null;
  }

  /** Writes the link, or removes the one of an earlier start. */
  replace(url: string | undefined): void {
    this.remove();
    if (url !== undefined) this.#write(url);
  }

  /** Always a new file, so that it has the mode that it should and nobody else has it open. */
  #write(url: string): void {
    const directory = dirname(this.#path);
    try {
      if (!existsSync(directory)) mkdirSync(directory, { mode: DIRECTORY_MODE });
      writeFileSync(this.#path, `${url}\n`, { mode: FILE_MODE, flag: 'wx' });
    } catch (error) {
      this.#log.logger.warn({ err: error }, 'the setup link was not written into a file');
    }
  }

  remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch (error) {
      this.#log.logger.warn({ err: error }, 'the file of the setup link was not removed; it is worth nothing any more');
    }
  }
}
