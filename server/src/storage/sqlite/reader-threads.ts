import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { onExit, startThread } from '../../lib/threads.ts';
import type { QueryBuild, Scans } from '../database.ts';
import { unavailable } from '../errors.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import type { SearchOptions } from '../searches.ts';
import { cachedRowMapper } from '../statements.ts';
import { compiler } from './connection.ts';
import { translateError } from './errors.ts';
import type { ReadRequest, ReadResult, ReadRows } from './reader-thread.ts';

/**
 * Enough that one account's long scans leave a thread for the other accounts. If several processes share the
 * processors, each process has fewer threads.
 */
const LIMITS = { alone: { threadsMax: 3, ofAccountMax: 2 }, shared: { threadsMax: 2, ofAccountMax: 1 } };
/** The other threads start soon after the first one is needed, since starting takes as long as several queries. */
const SPARE_AFTER_MS = 200;
/** Has the same extension as this file: `.ts` in the sources, `.js` in a build. */
const THREAD_FILE = new URL(`./reader-thread${extname(import.meta.filename)}`, import.meta.url);

interface Reading {
  resolve(rows: ReadRows): void;
  reject(error: unknown): void;
}

/** Threads, each with a read-only connection, which are started on demand. A thread runs one query at a time. */
export class ReaderThreads implements Scans {
  readonly #path: string;
  readonly #file: URL;
  readonly #threadsMax: number;
  readonly #permits: FairSemaphore;
  readonly #busy = new Map<Worker, Reading>();
  readonly #idle: Worker[] = [];
  #spareTimer: NodeJS.Timeout | undefined;

  /** `isShared`: whether other processes also search. */
  constructor(path: string, { isShared = false, threadsMax = Number.POSITIVE_INFINITY, file = THREAD_FILE } = {}) {
    const limits = isShared ? LIMITS.shared : LIMITS.alone;
    this.#path = path;
    this.#file = file;
    this.#threadsMax = Math.min(threadsMax, limits.threadsMax);
    this.#permits = new FairSemaphore(this.#threadsMax, Math.min(threadsMax, limits.ofAccountMax));
  }

  async query<R>(accountId: string, build: QueryBuild<R>): Promise<R[]> {
    const { columns, rows } = await this.#run(accountId, () => compile(build), {});
    return rows.map(cachedRowMapper(columns)) as R[];
  }

  /** Runs a request for rows as arrays. @throws as `query` does */
  run(accountId: string, request: ReadRequest, options: SearchOptions = {}): Promise<ReadRows> {
    return this.#run(accountId, () => request, options);
  }

  #run(accountId: string, makeRequest: () => ReadRequest, options: SearchOptions): Promise<ReadRows> {
    return this.#permits.run(accountId, () => this.#read(makeRequest()), { ...options, isLimited: true });
  }

  /** Finishes running queries and rejects waiting ones. */
  async close(): Promise<void> {
    this.#permits.close();
    clearTimeout(this.#spareTimer);
    const threads = [...this.#idle, ...this.#busy.keys()];
    const ends = threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
    for (const thread of threads) thread.postMessage('close');
    await Promise.all(ends);
  }

  #read(request: ReadRequest): Promise<ReadRows> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadRows>();
    const thread = this.#idle.pop() ?? this.#start();
    this.#busy.set(thread, { resolve, reject });
    thread.postMessage(request);
    this.#spareTimer ??= setTimeout(() => this.#startSpare(), SPARE_AFTER_MS).unref();
    return promise;
  }

  #startSpare(): void {
    while (this.#idle.length + this.#busy.size < this.#threadsMax) this.#idle.unshift(this.#start());
  }

  #start(): Worker {
    const thread = startThread(this.#file, { workerData: this.#path });
    thread.on('message', (result: ReadResult) => this.#settle(thread, result));
    onExit(thread, (reason) => this.#remove(thread, reason));
    return thread;
  }

  #settle(thread: Worker, result: ReadResult): void {
    const reading = this.#busy.get(thread);
    this.#busy.delete(thread);
    this.#idle.push(thread);
    if ('error' in result)
      reading?.reject(translateError(Object.assign(new Error(result.error.message), result.error)));
    else reading?.resolve(result);
  }

  /** If a thread crashes, only the query that it was running fails. */
  #remove(thread: Worker, cause: unknown): void {
    const reading = this.#busy.get(thread);
    this.#busy.delete(thread);
    const index = this.#idle.indexOf(thread);
    if (index >= 0) this.#idle.splice(index, 1);
    reading?.reject(unavailable('The search was interrupted; send the request again.', cause));
  }
}

/** Called only once the query has a permit, so that a rejected or canceled query is never compiled. */
function compile(build: QueryBuild<unknown>) {
  const { sql, parameters: values } = compiler.compileQuery(build);
  return { sql, values };
}
