import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Where } from '../../http/protocol/sockets.ts';
import { countsOf, createCounter, createGauge, joinMetrics, type ProcessMetrics } from '../../lib/metrics.ts';
import { AppError } from '../../model/errors.ts';
import { Port } from './port.ts';
import { WorkerProcess } from './worker-process.ts';

/** A worker that ends within this time counts as a failed start. */
const STABLE_AFTER_MS = 10_000;
/** The wait before a restart, which doubles after each failure. */
const BACKOFF_MS = 100;
const BACKOFF_MAX_MS = 30_000;
/** How long workers can take to end after their requests are aborted. */
const CUT_MAX_MS = 1_000;

const restarts = createCounter({
  name: 'property_listings_worker_restarts_total',
  help: 'Workers that ended unexpectedly and were replaced.',
});
const runningWorkers = createGauge({ name: 'property_listings_workers', help: 'Workers that accept requests.' });

/** Keeps a number of workers running, and replaces workers that end unexpectedly. */
export class WorkerPool {
  readonly #logger: Logger;
  readonly #all = new Set<WorkerProcess>();
  /** The workers that accept requests. */
  readonly #serving = new Set<WorkerProcess>();
  #port: Port;
  #size: number;
  #housekeeper: WorkerProcess | undefined;
  /** Consecutive failures. */
  #failures = 0;
  #filling: Promise<void> | undefined;
  isStopping = false;
  /** The counts of workers that have ended. */
  #endedMetrics: Promise<ProcessMetrics> = Promise.resolve([]);

  /** The workers load the program and wait for `start`. */
  constructor(size: number, port: Port, logger: Logger) {
    this.#size = size;
    this.#port = port;
    this.#logger = logger;
    runningWorkers.watch(() => [[{}, this.#serving.size]]);
    for (let place = 0; place < size; place += 1) this.#spawn(place);
  }

  /**
   * Starts the first worker alone: if it fails, all would fail.
   * @returns the address at which all workers listen
   * @throws {AppError} `unavailable`, with a message for the operator
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#all;
    if (first === undefined) throw new Error('There are no workers');
    const url = await first.start();
    await Promise.all(others.map((worker) => worker.start()));
    for (const worker of this.#all) this.#register(worker);
    return url;
  }

  /**
   * Replaces all workers, one after the other: a new worker listens before an old one stops accepting requests.
   * @throws {ConfigError} if the host or the port has changed, and it cannot listen there
   * @throws {AppError} `unavailable` if a worker cannot start or the service stops; workers not yet replaced continue
   */
  async replaceAll(size: number, { host, port }: Where): Promise<void> {
    if (this.#port.is({ host, port })) this.#port.extend(size);
    else {
      const left = this.#port;
      this.#port = await Port.bind({ host, port }, size);
      // The workers that listen there have copies.
      left.close();
    }
    this.#size = size;
    for (let place = 0; place < size; place += 1) {
      const worker = await this.#startWorker(place);
      await this.#retire((other) => other.place === place && other !== worker);
    }
    await this.#retire((worker) => worker.place >= size);
  }

  /** The metrics of all workers, and the counts of those that have ended. */
  async measure(): Promise<ProcessMetrics[]> {
    await Promise.all([...this.#all].map((worker) => worker.measure()));
    // Read in the same turn: a worker that ends is moved from one to the other.
    const ended = this.#endedMetrics;
    const running = [...this.#all].map(({ lastMetrics }) => lastMetrics);
    return [await ended, ...running];
  }

  /** Resolves when all workers have finished their requests and ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    // Each worker then closes the last copy of its sockets.
    this.#port.close();
    await Promise.all([...this.#all].map((worker) => worker.end('stop')));
  }

  /** Aborts in-flight requests, and resolves when all workers have ended. */
  async cut(): Promise<void> {
    for (const worker of this.#all) worker.tell('cut');
    const ends = Promise.all([...this.#all].map((worker) => worker.ended));
    await Promise.race([ends, sleep(CUT_MAX_MS)]);
    this.kill();
    await ends;
  }

  kill(): void {
    this.isStopping = true;
    for (const worker of this.#all) worker.kill();
  }

  #spawn(place: number): WorkerProcess {
    if (this.isStopping) throw new AppError('unavailable', 'The service is stopping.');
    const worker = new WorkerProcess(place, this.#port.deal(place, this.#size));
    this.#all.add(worker);
    void worker.ended.then(() => {
      this.#all.delete(worker);
      const last = countsOf(worker.lastMetrics);
      this.#endedMetrics = this.#endedMetrics.then((earlier) => joinMetrics([earlier, last]));
    });
    return worker;
  }

  async #startWorker(place: number): Promise<WorkerProcess> {
    const worker = this.#spawn(place);
    const url = await worker.start();
    this.#logger.info({ worker: worker.pid, url }, 'a worker listens');
    this.#register(worker);
    return worker;
  }

  #register(worker: WorkerProcess): void {
    this.#serving.add(worker);
    this.#chooseHousekeeper();
    void worker.ended.then((end) => {
      // A retired worker is supposed to end.
      if (!this.#serving.delete(worker) || this.isStopping) return;
      this.#logger.error({ worker: worker.pid, ...end }, 'a worker ended unexpectedly and is replaced');
      restarts.add({});
      this.#failures = worker.ageMs < STABLE_AFTER_MS ? this.#failures + 1 : 0;
      // Otherwise, the next worker soon accepts the connections that wait for this one.
      if (this.#failures > 1) this.#port.renew(worker.sockets);
      this.#chooseHousekeeper();
      void this.#fill();
    });
  }

  async #retire(isSurplus: (worker: WorkerProcess) => boolean): Promise<void> {
    for (const worker of [...this.#serving].filter(isSurplus)) {
      if (!this.#serving.delete(worker)) continue;
      this.#chooseHousekeeper();
      await worker.end('be replaced');
    }
  }

  #chooseHousekeeper(): void {
    if (this.#housekeeper !== undefined && this.#serving.has(this.#housekeeper)) return;
    [this.#housekeeper] = this.#serving;
    this.#housekeeper?.tell('keep house');
  }

  /** Starts workers until there are enough. */
  async #fill(): Promise<void> {
    this.#filling ??= this.#startMissing().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #startMissing(): Promise<void> {
    for (let place = this.#findPlace(); place !== undefined; place = this.#findPlace()) {
      if (this.#failures > 0) await sleep(Math.min(BACKOFF_MS * 2 ** this.#failures, BACKOFF_MAX_MS));
      if (this.isStopping) return;
      try {
        await this.#startWorker(place);
      } catch (error) {
        this.#failures += 1;
        this.#port.renew(this.#port.deal(place, this.#size));
        this.#logger.error({ err: error }, 'a worker could not start; retrying');
      }
    }
  }

  /** A place without a worker that accepts requests. */
  #findPlace(): number | undefined {
    if (this.isStopping) return undefined;
    const taken = new Set([...this.#serving].map(({ place }) => place));
    return Array.from({ length: this.#size }, (_, place) => place).find((place) => !taken.has(place));
  }
}
