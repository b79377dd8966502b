import { extname } from 'node:path';
import { MessageChannel, type Worker } from 'node:worker_threads';
import type { Log } from '../../lib/log.ts';
import { startThread } from '../../lib/threads.ts';
import { FileReading } from './file-reading.ts';
import type { ReadingRequest, ReadingStart } from './reading.ts';

/** One thread reads all files of an account, so no account can occupy both threads. */
const THREADS_MAX = 2;
/** An idle thread ends after this time, because it uses 30 MB of memory. */
const IDLE_MAX_MS = 60_000;
/**
 * A second line of defense: the limits of a row (1 MiB, 10,000 cells, 5,000 values) keep a thread
 * to a few megabytes. Reaching the limits below usually ends only the thread, but it ends the
 * whole process if V8 is running an internal task.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 6 };
/** Has the same extension as this file: `.ts` in the sources, `.js` in a build. */
const THREAD_FILE = new URL(`./reading-thread${extname(import.meta.filename)}`, import.meta.url);

interface Thread {
  worker: Worker;
  /** The number of files that this thread is reading, by account. */
  accounts: Map<string, number>;
  idle: NodeJS.Timeout | undefined;
}

/** Threads that decompress, parse, and validate files, started when they are first needed. */
export class ReadingThreads {
  readonly #log: Log;
  readonly #file: URL;
  readonly #threads = new Set<Thread>();

  constructor(log: Log, file = THREAD_FILE) {
    this.#log = log;
    this.#file = file;
  }

  /** Starts reading a file. The caller must dispose of the result. */
  open(accountId: string, request: ReadingRequest): FileReading {
    const thread = this.#assign(accountId);
    const { port1, port2 } = new MessageChannel();
    const start: ReadingStart = { ...request, port: port2 };
    thread.worker.postMessage(start, [port2]);
    return new FileReading(port1, request, () => this.#release(thread, accountId));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  #assign(accountId: string): Thread {
    const threads = [...this.#threads].sort((one, other) => one.accounts.size - other.accounts.size);
    const [least] = threads;
    const isFree = threads.length === THREADS_MAX || least?.accounts.size === 0;
    const thread =
      threads.find(({ accounts }) => accounts.has(accountId)) ?? (isFree ? least : undefined) ?? this.#start();
    thread.accounts.set(accountId, (thread.accounts.get(accountId) ?? 0) + 1);
    clearTimeout(thread.idle);
    return thread;
  }

  #release(thread: Thread, accountId: string): void {
    const count = (thread.accounts.get(accountId) ?? 0) - 1;
    if (count > 0) thread.accounts.set(accountId, count);
    else thread.accounts.delete(accountId);
    if (thread.accounts.size > 0) return;
    thread.idle = setTimeout(() => {
      if (thread.accounts.size === 0) void this.#end(thread);
    }, IDLE_MAX_MS).unref();
  }

  #start(): Thread {
    const worker = startThread(this.#file, { resourceLimits: RESOURCE_LIMITS });
    const thread = { worker, accounts: new Map<string, number>(), idle: undefined };
    // When the thread ends, the channels of its files close, and reading them fails.
    worker.on('error', (error) => this.#log.logger.error({ err: error }, 'a thread that reads imports has ended'));
    worker.on('exit', () => this.#threads.delete(thread));
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }

  async #end(thread: Thread): Promise<void> {
    clearTimeout(thread.idle);
    this.#threads.delete(thread);
    await thread.worker.terminate();
  }
}
