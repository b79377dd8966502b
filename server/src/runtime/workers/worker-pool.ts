import type { BoundSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Where } from '../../http/protocol/sockets.ts';
import { countsOf, createCounter, createGauge, joinMetrics, type ProcessMetrics } from '../../lib/metrics.ts';
import { AppError } from '../../model/errors.ts';
import { Port } from './port.ts';
import { WorkerProcess } from './worker-process.ts';

/** A worker that ends within this time is treated as a failed start. */
const STABLE_AFTER_MS = 10_000;
/** Doubled for each failure in a row to get the wait before a restart. Without failures, there is no wait. */
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
  /** The counters of workers that have ended. */
  #endedMetrics: Promise<ProcessMetrics> = Promise.resolve([]);

  /** Creates the workers, which load the program and wait for `start`. */
  constructor(size: number, port: Port, logger: Logger) {
    this.#size = size;
    this.#port = port;
    this.#logger = logger;
    runningWorkers.watch(() => [[{}, this.#serving.size]]);
    try {
      for (let place = 0; place < size; place += 1) this.#spawn(place, port, size);
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  /**
   * Starts the first worker alone: if it fails, all others would fail, too.
   * @returns the address at which all workers listen
   * @throws {AppError} `unavailable`, with a message for the operator
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#all;
    if (first === undefined) throw new Error('There are no workers');
    const url = await this.#startAndRegister(first);
    await Promise.all(others.map((worker) => this.#startAndRegister(worker)));
    return url;
  }

  /**
   * Replaces all workers, one after the other: an old one stops accepting requests when new ones listen on its sockets.
   * @throws {ConfigError} if the host or the port has changed, and the service cannot listen there
   * @throws {AppError} `unavailable` if a worker cannot start or the service stops; workers not yet replaced continue
   */
  async replaceAll(size: number, where: Where): Promise<void> {
    const before = this.#port;
    const port = before.is(where) ? before : await Port.open(where);
    const old = new Set(this.#serving);
    const started = new Set<WorkerProcess>();
    try {
      for (let place = 0; place < size; place += 1) {
        started.add(await this.#startWorker(place, port, size));
        const covered = this.#socketsOf(started);
        await this.#retire([...old].filter(({ sockets }) => isCovered(sockets, covered)));
      }
      // New workers may have died in the meantime.
      for (let place = 0; place < size; place += 1) {
        const isTaken = [...this.#serving.intersection(started)].some((worker) => worker.place === place);
        if (!isTaken) started.add(await this.#startWorker(place, port, size));
      }
    } catch (error) {
      if (port !== before) {
        port.close();
        await this.#retire(started);
      }
      void this.#fill();
      throw error;
    }
    this.#size = size;
    this.#port = port;
    if (port !== before) before.close();
    await this.#retire(this.#serving.difference(started));
    void this.#fill();
  }

  /** The metrics of all workers, and the counters of workers that have ended. */
  async measure(): Promise<ProcessMetrics[]> {
    await Promise.all([...this.#all].map((worker) => worker.measure()));
    // Both are read in the same turn, because the metrics of a worker that ends move from `running` to `ended`.
    const ended = this.#endedMetrics;
    const running = [...this.#all].map(({ lastMetrics }) => lastMetrics);
    return [await ended, ...running];
  }

  /** Resolves when all workers have finished their requests and ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    // Closes this process's copies of the sockets, so each worker has the last copy of its own.
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

  #spawn(place: number, port: Port, size: number): WorkerProcess {
    if (this.isStopping) throw new AppError('unavailable', 'The service is stopping.');
    const worker = new WorkerProcess(place, port, size);
    this.#all.add(worker);
    void worker.ended.then(() => {
      this.#all.delete(worker);
      const last = countsOf(worker.lastMetrics);
      this.#endedMetrics = this.#endedMetrics.then((earlier) => joinMetrics([earlier, last]));
    });
    return worker;
  }

  async #startWorker(place: number, port: Port, size: number): Promise<WorkerProcess> {
    const worker = this.#spawn(place, port, size);
    const url = await this.#startAndRegister(worker);
    this.#logger.info({ worker: worker.pid, url }, 'a worker listens');
    return worker;
  }

  async #startAndRegister(worker: WorkerProcess): Promise<string> {
    const url = await worker.start().catch((error: unknown) => {
      // The worker may have listened before it failed.
      this.#dropUnserved(worker);
      throw error;
    });
    this.#register(worker);
    return url;
  }

  #register(worker: WorkerProcess): void {
    this.#serving.add(worker);
    this.#chooseHousekeeper();
    void worker.ended.then((end) => {
      // A retired worker is supposed to end.
      if (!this.#serving.delete(worker) || this.isStopping) return;
      this.#dropUnserved(worker);
      this.#logger.error({ worker: worker.pid, ...end }, 'a worker ended unexpectedly and is replaced');
      restarts.add({});
      this.#failures = worker.ageMs < STABLE_AFTER_MS ? this.#failures + 1 : 0;
      this.#chooseHousekeeper();
      void this.#fill();
    });
  }

  async #retire(workers: Iterable<WorkerProcess>): Promise<void> {
    for (const worker of workers) {
      if (!this.#serving.delete(worker)) continue;
      this.#chooseHousekeeper();
      this.#dropUnserved(worker);
      await worker.end('be replaced');
    }
  }

  /** Closes a worker's sockets on which no other worker listens, because new connections would wait there. */
  #dropUnserved({ port, sockets }: WorkerProcess): void {
    const served = this.#socketsOf(this.#serving);
    port.drop(sockets.filter((socket) => !served.has(socket)));
  }

  /** The sockets of those workers that accept requests. */
  #socketsOf(workers: ReadonlySet<WorkerProcess>): Set<BoundSocket> {
    return new Set([...this.#serving.intersection(workers)].flatMap(({ sockets }) => sockets));
  }

  #chooseHousekeeper(): void {
    if (this.#housekeeper !== undefined && this.#serving.has(this.#housekeeper)) return;
    [this.#housekeeper] = this.#serving;
    this.#housekeeper?.tell('keep house');
  }

  async #fill(): Promise<void> {
    this.#filling ??= this.#startMissing().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #startMissing(): Promise<void> {
    while (this.#findPlaces().length > 0) {
      if (this.#failures > 0) await sleep(Math.min(BACKOFF_MS * 2 ** this.#failures, BACKOFF_MAX_MS));
      const starts = this.#findPlaces().map((place) => this.#startMissingAt(place));
      const areStarted = await Promise.all(starts);
      if (areStarted.includes(false)) this.#failures += 1;
    }
  }

  /** @returns whether the worker could start */
  async #startMissingAt(place: number): Promise<boolean> {
    try {
      const worker = await this.#startWorker(place, this.#port, this.#size);
      const isTaken = [...this.#serving].some((other) => other.place === place && other !== worker);
      if (isTaken || place >= this.#size) await this.#retire([worker]);
      return true;
    } catch (error) {
      this.#logger.error({ err: error }, 'a worker could not start; retrying');
      return false;
    }
  }

  /** The places without a worker that accepts requests. */
  #findPlaces(): number[] {
    if (this.isStopping) return [];
    const taken = new Set([...this.#serving].map(({ place }) => place));
    return Array.from({ length: this.#size }, (_, place) => place).filter((place) => !taken.has(place));
  }
}

function isCovered(sockets: readonly BoundSocket[], covered: ReadonlySet<BoundSocket>): boolean {
  return sockets.length > 0 && sockets.every((socket) => covered.has(socket));
}
