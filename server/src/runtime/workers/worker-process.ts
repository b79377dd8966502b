import type { Serializable } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { AppError } from '../../model/errors.ts';
import { findReport, type Order, type Report } from './messages.ts';

/** Only the first process makes an administrator: a worker need not know the password. */
const WITHOUT_PASSWORD = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '', ADMIN_PASSWORD_FILE: '' };
/** Longer than any write takes that is waited for: who has not ended by then never will. */
const END_MAX_MS = 60_000;

/** How a process has ended. */
export interface End {
  code: number | null;
  signal: string | null;
}

/** A worker as the first process sees it. It loads the program, and waits to be started. */
export class WorkerProcess {
  readonly ended: Promise<End>;
  readonly #worker: Worker;
  readonly #startTimeMs = performance.now();
  #onReport: (report: Report) => void = () => {};

  /** `freePort` is where it listens if any port will do. */
  constructor(freePort: number | undefined) {
    const isAnyPort = freePort !== undefined && Number(process.env.PORT || NaN) === 0;
    const worker = cluster.fork({ ...WITHOUT_PASSWORD, ...(isAnyPort && { PORT: freePort }) });
    this.#worker = worker;
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve({ code, signal }));
      // Messages that do not reach a process that is gone; and one that could not be made never exits.
      worker.on('error', () => {
        if (worker.process.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    closeLostConnection(worker);
    worker.on('message', (message: unknown) => {
      const report = findReport(message);
      if (report?.report === 'finished') this.tell('leave');
      else if (report !== undefined) this.#onReport(report);
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get ageMs(): number {
    return performance.now() - this.#startTimeMs;
  }

  /**
   * Resolves with the address once it listens there.
   * @throws {AppError} `unavailable`, with words for the operator
   */
  async start(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#onReport = (report) => {
      if (report.report === 'listening') resolve(report.url);
      if (report.report === 'failed') reject(new AppError('unavailable', report.message));
    };
    void this.ended.then(({ code, signal }) => {
      reject(new AppError('unavailable', `A worker ended with ${signal ?? code} before it listened.`));
    });
    this.tell('start');
    return await promise;
  }

  tell(order: Order): void {
    if (this.#worker.isConnected()) this.#worker.send({ order });
  }

  /** Lets it finish what runs, and resolves when it has ended. */
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

/**
 * node:cluster hands one connection at a time to a worker, and waits for the word that it has arrived. If the worker dies
 * meanwhile, it forgets the connection, whose client would wait for ever.
 */
function closeLostConnection(worker: Worker): void {
  const { process: child } = worker;
  const send = child.send.bind(child);
  let onItsWay: unknown;
  child.send = (message: Serializable, ...rest: unknown[]) => {
    const [handle] = rest;
    if (typeof handle === 'object' && handle !== null) onItsWay = handle;
    return Reflect.apply(send, undefined, [message, ...rest]);
  };
  // Before node:cluster hears it, and hands on the next one.
  child.prependListener('internalMessage', (message: unknown) => {
    if (Object(message).ack !== undefined) onItsWay = undefined;
  });
  // Until both have happened a connection may still be handed to it.
  for (const event of ['exit', 'disconnect']) child.once(event, () => Object(onItsWay).close?.());
}
