import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type PackedRows, type QueryBuild, RUN_LENGTH, type Run, type ScanOptions, type Scans } from '../database.ts';
import { FairSemaphore, unavailable } from '../fair-semaphore.ts';
import { keptRowMapper } from '../statements.ts';
import { compiler } from './connection.ts';
import { translateError } from './errors.ts';
import type { ReadAnswer, ReadRequest, ReadRows } from './reader-thread.ts';

/** Long scans of one account leave a thread to the others. */
const THREADS_MAX = 3;
const OF_ACCOUNT_MAX = 2;
/** Once one was needed the others are started soon: that takes as long as several queries. */
const SPARE_AFTER_MS = 200;
/** With this file's own ending, which a build changes. */
const THREAD_FILE = new URL(`./reader-thread${extname(import.meta.filename)}`, import.meta.url);

/** Who waits for what a thread reads. */
interface Reading {
  resolve(rows: ReadRows): void;
  reject(error: unknown): void;
}

/** Threads with a reading connection each, started when one is first needed. A thread runs one query at a time. */
export class ReaderThreads implements Scans {
  readonly #path: string;
  readonly #file: URL;
  readonly #turns = new FairSemaphore(THREADS_MAX, OF_ACCOUNT_MAX);
  readonly #busy = new Map<Worker, Reading>();
  readonly #idle: Worker[] = [];
  #spareTimer: NodeJS.Timeout | undefined;

  /** `file` is what a thread runs. */
  constructor(path: string, file = THREAD_FILE) {
    this.#path = path;
    this.#file = file;
  }

  async query<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions = {}): Promise<Run<R>> {
    const { bytesMax = Number.POSITIVE_INFINITY } = options;
    const refused = this.#turns.requireRoom(accountId, options);
    if (refused !== undefined) return await refused;
    const makeRequest = () => ({ ...compile(build), bytesMax });
    return this.#run(accountId, makeRequest, options) as Promise<Run<R>>;
  }

  async queryPacked<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions): Promise<PackedRows<R>> {
    const refused = this.#turns.requireRoom(accountId, options);
    if (refused !== undefined) return await refused;
    const bounds = { bytesMax: Number.POSITIVE_INFINITY, packLength: RUN_LENGTH };
    const read = () => this.#read({ ...compile(build), ...bounds });
    const { columns, packs, count } = await this.#turns.run(accountId, read, options);
    const open = (pack: Uint8Array) => JSON.parse(new TextDecoder().decode(pack)).map(keptRowMapper(columns));
    return { packs: packs.map((pack) => () => open(pack)), count };
  }

  /** Runs SQL that is not a query of listings, too. @throws as `query`, but however many wait */
  run(accountId: string, request: ReadRequest): Promise<Run<unknown>> {
    return this.#run(accountId, () => request);
  }

  async #run(accountId: string, makeRequest: () => ReadRequest, options?: ScanOptions): Promise<Run<unknown>> {
    const read = () => this.#read(makeRequest());
    const { columns, rows, isCut } = await this.#turns.run(accountId, read, options);
    return { rows: rows.map(keptRowMapper(columns)), isCut };
  }

  /** Lets the queries that run come to their end; those that wait are refused. */
  async close(): Promise<void> {
    this.#turns.close();
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
    while (this.#idle.length + this.#busy.size < THREADS_MAX) this.#idle.unshift(this.#start());
  }

  #start(): Worker {
    // `node --watch` would have the thread say what it imports, which would be taken for an answer.
    const env = { ...process.env, WATCH_REPORT_DEPENDENCIES: '' };
    const thread = new Worker(this.#file, { workerData: this.#path, env });
    let reason: unknown;
    thread.on('message', (answer: ReadAnswer) => this.#settle(thread, answer));
    thread.on('error', (error) => {
      reason = error;
    });
    thread.on('exit', () => this.#bury(thread, reason));
    return thread;
  }

  #settle(thread: Worker, answer: ReadAnswer): void {
    const reading = this.#busy.get(thread);
    this.#busy.delete(thread);
    this.#idle.push(thread);
    if ('error' in answer)
      reading?.reject(translateError(Object.assign(new Error(answer.error.message), answer.error)));
    else reading?.resolve(answer);
  }

  /** A thread that died takes the query with it that it ran, and no other. */
  #bury(thread: Worker, cause: unknown): void {
    const reading = this.#busy.get(thread);
    this.#busy.delete(thread);
    const index = this.#idle.indexOf(thread);
    if (index >= 0) this.#idle.splice(index, 1);
    reading?.reject(unavailable('The search was broken off; send the request again.', cause));
  }
}

/** When it is its turn: of many at once each takes as long as to begin a request. */
function compile(build: QueryBuild<unknown>): Pick<ReadRequest, 'sql' | 'values'> {
  const { sql, parameters: values } = compiler.compileQuery(build);
  return { sql, values };
}
