import cluster, { type Worker } from 'node:cluster';
import type { BoundSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRelease } from '../../environment.ts';
import type { ProcessMetrics } from '../../lib/metrics.ts';
import { AppError } from '../../model/errors.ts';
import { FIRST_SOCKET, findReport, type Order, RELEASE_VARIABLE, type Report, SOCKETS_VARIABLE } from './messages.ts';
import type { Port } from './port.ts';

/** Only the first process creates an administrator: workers do not need the password. */
const WITHOUT_PASSWORD = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '', ADMIN_PASSWORD_FILE: '' };
/** A worker that still runs after this time is killed. Its requests had less: at most `SHUTDOWN_MAX_REPLACED_MS`. */
const END_MAX_MS = 60_000;
/** How long the last messages of a worker that has ended can take to arrive. */
const DISCONNECT_MAX_MS = 1_000;
/** How long a worker can take to report its metrics. Prometheus waits much longer: ten seconds. */
const MEASURE_MAX_MS = 2_000;

const RELEASE = readRelease();

/** The file descriptors of a worker that come before its sockets. */
const STDIO = Array.from({ length: FIRST_SOCKET }, (_, fd) => (fd === FIRST_SOCKET - 1 ? 'ipc' : 'inherit'));

export interface End {
  code: number | null;
  signal: string | null;
}

/** The first process's view of a worker, which loads the program and then waits for `start`. */
export class WorkerProcess {
  /** Resolves when the worker has ended and its last report has arrived. */
  readonly ended: Promise<End>;
  /** The worker's position in the pool, from 0. The next worker with this position listens on the same sockets. */
  readonly place: number;
  readonly port: Port;
  readonly sockets: readonly BoundSocket[];
  readonly #worker: Worker;
  readonly #startTimeMs = performance.now();
  #onReport: (report: Report) => void = () => {};
  #metrics: ProcessMetrics = [];
  #onMetrics: () => void = () => {};
  #measuring: Promise<void> | undefined;

  /** @throws {ConfigError} if its sockets cannot be bound */
  constructor(place: number, port: Port, workers: number) {
    this.place = place;
    this.port = port;
    const sockets = port.deal(place, workers);
    this.sockets = sockets ?? [];
    cluster.setupPrimary({ args: ['worker'], stdio: [...STDIO, ...this.sockets.map((socket) => socket.fd())] });
    const worker = cluster.fork({
      ...WITHOUT_PASSWORD,
      [RELEASE_VARIABLE]: RELEASE,
      [SOCKETS_VARIABLE]: sockets?.length ?? '',
    });
    this.#worker = worker;
    this.ended = new Promise((resolve) => {
      const closed = new Promise<void>((disconnected) => worker.once('disconnect', disconnected));
      worker.once('exit', async (code, signal) => {
        // If the worker died while node:cluster passed a connection to it, `disconnect` is not emitted.
        await Promise.race([closed, sleep(DISCONNECT_MAX_MS, undefined, { ref: false })]);
        resolve({ code, signal });
      });
      // Also emitted for messages to a dead process. A process that was never created has no `exit` event.
      worker.on('error', () => {
        if (worker.process.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    worker.on('message', (message: unknown) => {
      const report = findReport(message);
      if (report?.report === 'metrics') {
        this.#metrics = report.metrics;
        this.#onMetrics();
      } else if (report !== undefined) this.#onReport(report);
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get ageMs(): number {
    return performance.now() - this.#startTimeMs;
  }

  /** Resolves when the worker has reported its metrics, or does not respond. Simultaneous calls share a report. */
  async measure(): Promise<void> {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined;
    });
    await this.#measuring;
  }

  async #measure(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onMetrics = resolve;
    this.tell('measure');
    await Promise.race([promise, this.ended, sleep(MEASURE_MAX_MS, undefined, { ref: false })]);
  }

  /** The latest metrics that the worker reported. A worker also reports its metrics when it stops. */
  get lastMetrics(): ProcessMetrics {
    return this.#metrics;
  }

  /** @returns the worker's address @throws {AppError} `unavailable`, with a message for the operator */
  async start(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#onReport = (report) => {
      if (report.report === 'listening') resolve(report.url);
      if (report.report === 'failed') reject(new AppError('unavailable', report.message));
    };
    void this.ended.then(({ code, signal }) => {
      reject(new AppError('unavailable', `A worker ended with ${signal ?? code ?? 'an error'} before it listened.`));
    });
    this.tell('start');
    return await promise;
  }

  tell(order: Order): void {
    if (this.#worker.isConnected()) this.#worker.send({ order });
  }

  /** Tells the worker to end, and resolves when it has finished its requests and ended, or was killed. */
  async end(order: 'stop' | 'be replaced'): Promise<void> {
    this.tell(order);
    const timer = setTimeout(() => this.kill(), END_MAX_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
