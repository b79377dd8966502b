import { statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PAGE_BYTES } from './database-file.ts';
import { isStorageFull } from './errors.ts';
import { ReaderThreads } from './reader-threads.ts';

/** So many pages (4 MB) in the log make a checkpoint worth its two syncs. */
const PAGES_MIN = 1_000;
/** When so many pages (64 MB) stand in the log, writes wait until all are in the database: only then can it begin anew. */
const LOG_PAGES_MAX = 16_000;
/** Waits for no reader with the write lock held: one that is still reading leaves it to the next time. */
const NO_WAITING = { sql: 'pragma busy_timeout = 0', values: [], bytesMax: Number.POSITIVE_INFINITY };
const TRUNCATE = { sql: 'pragma wal_checkpoint(truncate)', values: [], bytesMax: Number.POSITIVE_INFINITY };
const PASSIVE = { sql: 'pragma wal_checkpoint(passive)', values: [], bytesMax: Number.POSITIVE_INFINITY };

/** In pages. */
type LogState = { log: number; checkpointed: number };

/**
 * Moves the log into the database on a thread of its own. SQLite's own way is that a commit does it now and then: the event
 * loop stops for as long as the disk takes.
 */
export class Checkpoints {
  readonly #directory: string;
  readonly #logPath: string;
  readonly #threads: ReaderThreads;
  readonly #state: StatementSync;
  #running: Promise<void> | undefined;
  #mustCatchUp = false;

  constructor(writer: DatabaseSync, path: string) {
    this.#directory = dirname(path);
    this.#logPath = `${path}-wal`;
    this.#threads = new ReaderThreads(path);
    // Does nothing but tell (sqlite.org/pragma.html#pragma_wal_checkpoint).
    this.#state = writer.prepare('pragma wal_checkpoint(noop)');
    this.#noteRoom(this.#readState());
  }

  /** Called after each commit. */
  noteCommit(): void {
    const state = this.#readState();
    this.#noteRoom(state);
    if (state.log - state.checkpointed < PAGES_MIN) return;
    if (this.#running === undefined) this.#start();
    else if (state.log > LOG_PAGES_MAX) this.#mustCatchUp = true;
  }

  /** Called when the disk is full: once all of the log is in the database, its room can be used again. */
  noteFull(): void {
    this.#mustCatchUp = true;
  }

  /**
   * Called before each transaction: what is written during a checkpoint stays in the log, so a long one needs a pause.
   * @throws {AppError} `storage_full` while the database has no room for what the log holds: a write would take what there is
   */
  async letCatchUp(): Promise<void> {
    if (!this.#mustCatchUp) return;
    await this.#running;
    await this.#run();
    this.#mustCatchUp = false;
  }

  /** Empties the log, which else keeps what was deleted until it is written over. One that is in use stays for the next time. */
  async truncate(): Promise<void> {
    await this.#running;
    await this.#run();
    await this.#threads.run('', NO_WAITING);
    await this.#threads.run('', TRUNCATE);
  }

  /**
   * Syncs what a transaction has written to the log so far, away from the event loop: its commit has less to wait for.
   * A fault is met again by the commit's own sync.
   */
  async syncLog(): Promise<void> {
    const log = await open(this.#logPath, 'r').catch(() => undefined);
    await log?.sync().catch(() => {});
    await log?.close();
  }

  /** Waits for the one that runs: it looks at the writing connection when it is done. */
  async close(): Promise<void> {
    await this.#threads.close();
    await this.#running;
  }

  /** A log that takes the room which the database needs for it could never begin anew. */
  #noteRoom({ log, checkpointed }: LogState): void {
    if ((log - checkpointed) * PAGE_BYTES > this.#readFreeBytes()) this.#mustCatchUp = true;
  }

  #readState(): LogState {
    const [state] = this.#state.all() as [LogState];
    return state;
  }

  /** Where that is not told, all that is needed: the write that is looked at is committed, and may not fail any more. */
  #readFreeBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      return bavail * bsize;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** A log that cannot be looked at now is looked at again after the next commit. */
  #start(): void {
    this.#running = this.#run()
      .then(() => {
        if (this.#readState().log > LOG_PAGES_MAX) this.#mustCatchUp = true;
      })
      .catch(() => {})
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** One that fails is no reason to refuse a write, but for want of room: the next one does what it has left. */
  async #run(): Promise<void> {
    try {
      await this.#threads.run('', PASSIVE);
    } catch (error) {
      if (!isStorageFull(error)) return;
      this.noteFull();
      throw error;
    }
  }
}
