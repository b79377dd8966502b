import { statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PAGE_BYTES } from './database-file.ts';
import { isStorageFull } from './errors.ts';
import { ReaderThreads } from './reader-threads.ts';

/**
 * A checkpoint starts once this many pages of the log (16 MB) are not in the database file yet. Pages that have
 * changed several times are then written only once, which saves more than the checkpoint's two syncs cost.
 */
const PAGES_MIN = 4_000;
/** At this log size (57 MB), writes wait until all pages are in the database file, so that the log can start over. */
const LOG_PAGES_MAX = 14_000;
/** Up to this log size (115 MB), urgent writes do not wait. */
const POSTPONED_PAGES_MAX = 2 * LOG_PAGES_MAX;
/**
 * A checkpoint that empties the log holds the write lock, so it must not wait for readers. If a reader uses
 * the log, a later call empties it.
 */
const NO_WAITING = { sql: 'pragma busy_timeout = 0', values: [] };
const TRUNCATE = { sql: 'pragma wal_checkpoint(truncate)', values: [] };
const PASSIVE = { sql: 'pragma wal_checkpoint(passive)', values: [] };

/** The log's size and the checkpointed part, in pages. */
type LogState = { log: number; checkpointed: number };

/**
 * Moves the log into the database file on a separate thread. SQLite's automatic checkpoints would run within
 * a commit and block the event loop for as long as the disk takes.
 */
export class Checkpoints {
  readonly #directory: string;
  readonly #logPath: string;
  readonly #threads: ReaderThreads;
  readonly #state: StatementSync;
  #running: Promise<void> | undefined;
  /**
   * Whether writes must wait until the log can start over. `now`: before the next write; `soon`: before the next
   * write that is not urgent.
   */
  #mustCatchUp: 'now' | 'soon' | undefined;

  constructor(writer: DatabaseSync, path: string) {
    this.#directory = dirname(path);
    this.#logPath = `${path}-wal`;
    // With a single thread, `busy_timeout` remains set on its connection.
    this.#threads = new ReaderThreads(path, { threadsMax: 1 });
    // Returns the log's state without running a checkpoint (sqlite.org/pragma.html#pragma_wal_checkpoint).
    this.#state = writer.prepare('pragma wal_checkpoint(noop)');
    this.#checkRoom(this.#readState());
  }

  noteCommit(): void {
    const state = this.#readState();
    this.#checkRoom(state);
    if (state.log <= LOG_PAGES_MAX && this.#mustCatchUp === 'soon') this.#mustCatchUp = undefined;
    if (state.log - state.checkpointed < PAGES_MIN) return;
    if (this.#running !== undefined || this.#mustCatchUp === 'soon') this.#checkLength(state);
    if (this.#running === undefined) this.#start();
  }

  /** Call this when the disk is full: once the whole log is in the database file, the log's space can be reused. */
  noteFull(): void {
    this.#mustCatchUp = 'now';
  }

  /**
   * Call this before each transaction. If the log has become too long, runs a checkpoint before further
   * writes: pages that are written during a checkpoint stay in the log. Urgent writes wait only if the log is
   * twice as long, or if the disk is full or almost full.
   * @throws {AppError} `storage_full` if the disk lacks space for the log's pages; further writes would only
   * add to them
   */
  async letCatchUp(isUrgent = false): Promise<void> {
    if (this.#mustCatchUp === undefined || (isUrgent && this.#mustCatchUp === 'soon')) return;
    await this.#running;
    await this.#run();
    this.#mustCatchUp = undefined;
  }

  /** Empties the log, unless it is in use, because the log keeps deleted data until the data is overwritten. */
  async truncate(): Promise<void> {
    await this.#running;
    await this.#run();
    await this.#threads.run('', NO_WAITING);
    await this.#threads.run('', TRUNCATE);
  }

  /**
   * Syncs the open transaction's part of the log, off the event loop, so that its commit is faster. Errors
   * are ignored: they recur in the commit's own sync.
   */
  async syncLog(): Promise<void> {
    const log = await open(this.#logPath, 'r').catch(() => undefined);
    await log?.sync().catch(() => {});
    await log?.close();
  }

  /** Waits for a running checkpoint, which uses the writing connection when it is done. */
  async close(): Promise<void> {
    await this.#threads.close();
    await this.#running;
  }

  /** The disk must have space for the log's pages in the database file. Otherwise, the log could never start over. */
  #checkRoom({ log, checkpointed }: LogState): void {
    if ((log - checkpointed) * PAGE_BYTES > this.#readFreeBytes()) this.#mustCatchUp = 'now';
  }

  #checkLength({ log }: LogState): void {
    if (log > POSTPONED_PAGES_MAX) this.#mustCatchUp = 'now';
    else if (log > LOG_PAGES_MAX) this.#mustCatchUp ??= 'soon';
  }

  #readState(): LogState {
    const [state] = this.#state.all() as [LogState];
    return state;
  }

  /** Unlimited if the system call fails, since the write is already committed and must not fail. */
  #readFreeBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      return bavail * bsize;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Starts a checkpoint. If the log's state cannot be read afterward, it is read again after the next commit. */
  #start(): void {
    this.#running = this.#run()
      .then(() => {
        this.#checkLength(this.#readState());
      })
      .catch(() => {})
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Runs a checkpoint. Ignores a failure, since the next checkpoint tries again. @throws if the disk is full */
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
