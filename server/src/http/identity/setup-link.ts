import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../lib/log.ts';

/** Anyone who can read the file can become the administrator. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

export class SetupLink {
  readonly #path: string;
  readonly #log: Log;

  constructor(dataDirectory: string, log: Log) {
    this.#path = join(dataDirectory, 'setup-link.txt');
    this.#log = log;
  }

  /** The file's name in the data directory; null if there is no file. Another process can remove it. */
  get file(): string | null {
    return existsSync(this.#path) ? basename(this.#path) : null;
  }

  /** Replaces the link of an earlier start; without `url`, only removes the old link. */
  replace(url: string | undefined): void {
    this.remove();
    if (url !== undefined) this.#write(url);
  }

  /** Creates a new file, so it has the right mode and is not open in another process. */
  #write(url: string): void {
    const directory = dirname(this.#path);
    try {
      if (!existsSync(directory)) mkdirSync(directory, { mode: DIRECTORY_MODE });
      writeFileSync(this.#path, `${url}\n`, { mode: FILE_MODE, flag: 'wx' });
    } catch (error) {
      this.#log.logger.warn({ err: error }, 'the setup link could not be written to a file');
    }
  }

  remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch (error) {
      this.#log.logger.warn({ err: error }, "the setup link's file could not be removed; the link is no longer valid");
    }
  }
}
