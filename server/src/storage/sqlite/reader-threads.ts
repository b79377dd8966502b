import { Worker } from 'node:worker_threads';
import { AppError } from '../../model/errors.ts';
import { type PackedRows, type QueryBuild, RUN_LENGTH, type Run, type ScanOptions, type Scans } from '../database.ts';
import { type RowMapper, rowMapper } from '../statements.ts';
import { compiler } from './connection.ts';
import { translateError } from './errors.ts';
import type { ReadAnswer, ReadRequest, ReadRows } from './reader-thread.ts';
import { type ReadTask, TaskTurns } from './task-turns.ts';

/** One that a long scan occupies leaves another. */
const THREADS_MAX = 2;
/** So many queries of one account may wait: what comes then is better told so than made to wait for minutes. */
const WAITING_MAX = 256;
/** Code is generated for each list of columns: there are few, and they come again and again. */
const MAPPERS_MAX = 100;
const THREAD_FILE = new URL('./reader-thread.ts', import.meta.url);

/** Threads with a reading connection each, started when they are first needed. A thread runs one query at a time. */
export class ReaderThreads implements Scans {
  readonly #path: string;
  readonly #file: URL;
  readonly #busy = new Map<Worker, ReadTask>();
  readonly #idle: Worker[] = [];
  readonly #waiting = new TaskTurns();
  readonly #mappers = new Map<string, RowMapper>();
  #isClosed = false;

  /** `file` is what a thread runs. */
  constructor(path: string, file = THREAD_FILE) {
    this.#path = path;
    this.#file = file;
  }

  async query<R>(accountId: string, build: QueryBuild<R>, options: ScanOptions = {}): Promise<Run<R>> {
    const { bytesMax = Number.POSITIVE_INFINITY, signal } = options;
    this.#refuse(accountId, signal);
    const { sql, parameters: values } = build(compiler.query).compile();
    return this.run(accountId, { sql, values, bytesMax }, signal) as Promise<Run<R>>;
  }

  async queryPacked<R>(accountId: string, build: QueryBuild<R>, signal?: AbortSignal): Promise<PackedRows<R>> {
    this.#refuse(accountId, signal);
    const { sql, parameters: values } = build(compiler.query).compile();
    const request = { sql, values, bytesMax: Number.POSITIVE_INFINITY, packLength: RUN_LENGTH };
    const { columns, packs, count } = await this.#ask(accountId, request, signal);
    const open = (pack: Uint8Array) => JSON.parse(new TextDecoder().decode(pack)).map(this.#mapperOf(columns));
    return { packs: packs.map((pack) => () => open(pack)), count };
  }

  /** Runs SQL that is not a query of listings, too. @throws as `query`, but however many wait */
  async run(accountId: string, request: ReadRequest, signal?: AbortSignal): Promise<Run<unknown>> {
    const { columns, rows, isCut } = await this.#ask(accountId, request, signal);
    return { rows: rows.map(this.#mapperOf(columns)), isCut };
  }

  #refuse(accountId: string, signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#isClosed) throw unavailable('The service is stopping; send the request again.');
    if (this.#waiting.count(accountId) < WAITING_MAX) return;
    throw unavailable('Too many searches of this account are waiting; send the request again later.');
  }

  #ask(accountId: string, request: ReadRequest, signal: AbortSignal | undefined): Promise<ReadRows> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadRows>();
    const task = { accountId, request, resolve, reject };
    const drop = () => {
      if (this.#waiting.remove(task)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', drop);
    this.#waiting.add(task);
    this.#dispatch();
    return promise.finally(() => signal?.removeEventListener('abort', drop));
  }

  /** Lets the queries that run come to their end; those that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let task = this.#waiting.take(); task !== undefined; task = this.#waiting.take()) {
      task.reject(unavailable('The service is stopping; send the request again.'));
    }
    const threads = [...this.#idle, ...this.#busy.keys()];
    const ends = threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
    for (const thread of threads) thread.postMessage('close');
    await Promise.all(ends);
  }

  #dispatch(): void {
    while (this.#idle.length > 0 || this.#busy.size < THREADS_MAX) {
      const task = this.#waiting.take();
      if (task === undefined) return;
      const thread = this.#idle.pop() ?? this.#start();
      this.#busy.set(thread, task);
      thread.postMessage(task.request);
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#file, { workerData: this.#path });
    let reason: unknown;
    thread.on('message', (answer: ReadAnswer) => this.#settle(thread, answer));
    thread.on('error', (error) => {
      reason = error;
    });
    thread.on('exit', () => this.#bury(thread, reason));
    return thread;
  }

  #settle(thread: Worker, answer: ReadAnswer): void {
    const task = this.#busy.get(thread);
    this.#busy.delete(thread);
    this.#idle.push(thread);
    if ('error' in answer) task?.reject(translateError(Object.assign(new Error(answer.error.message), answer.error)));
    else task?.resolve(answer);
    this.#dispatch();
  }

  #mapperOf(columns: string[]): RowMapper {
    const key = JSON.stringify(columns);
    const known = this.#mappers.get(key);
    if (known !== undefined) return known;
    const mapper = rowMapper(columns);
    if (this.#mappers.size === MAPPERS_MAX) this.#mappers.clear();
    this.#mappers.set(key, mapper);
    return mapper;
  }

  /** A thread that died takes the query with it that it ran, and no other. */
  #bury(thread: Worker, cause: unknown): void {
    const task = this.#busy.get(thread);
    this.#busy.delete(thread);
    const index = this.#idle.indexOf(thread);
    if (index >= 0) this.#idle.splice(index, 1);
    task?.reject(unavailable('The search was broken off; send the request again.', cause));
    this.#dispatch();
  }
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}
