import { ReaderThreads } from './reader-threads.ts';

/** So many commits make a checkpoint worth its two syncs. */
const COMMITS_MIN = 16;
/** When so many pages (8 MB) stand in the log, writes wait until they are in the database: only then can it begin anew. */
const LOG_PAGES_MAX = 2_000;
const PASSIVE = { sql: 'pragma wal_checkpoint(passive)', values: [], bytesMax: Number.POSITIVE_INFINITY };

/**
 * Moves the log into the database on a thread of its own. SQLite's own way is that every thousandth page a commit does it:
 * then the event loop stops for as long as the disk takes.
 */
export class Checkpoints {
  readonly #threads: ReaderThreads;
  #commits = 0;
  #running: Promise<void> | undefined;
  #mustCatchUp = false;

  constructor(path: string) {
    this.#threads = new ReaderThreads(path);
  }

  /** Called after each commit. */
  noteCommit(): void {
    this.#commits += 1;
    if (this.#commits < COMMITS_MIN) return;
    if (this.#running === undefined) this.#start();
    else this.#mustCatchUp = true;
  }

  /** Called before each transaction: what is written during a checkpoint stays in the log, so a long one needs a pause. */
  async letCatchUp(): Promise<void> {
    if (!this.#mustCatchUp) return;
    await this.#running;
    await this.#run();
    this.#commits = 0;
    this.#mustCatchUp = false;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #start(): void {
    this.#commits = 0;
    this.#running = this.#run().then((isLogLong) => {
      this.#running = undefined;
      if (isLogLong) this.#mustCatchUp = true;
    });
  }

  /** One that fails is no reason to refuse a write. @returns whether the log is long */
  async #run(): Promise<boolean> {
    try {
      const { rows } = await this.#threads.run('', PASSIVE);
      const [{ log }] = rows as [{ log: number }];
      return log > LOG_PAGES_MAX;
    } catch {
      return false;
    }
  }
}
