import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from '../../model/errors.ts';
import { WorkerProcess } from './worker-process.ts';

/** Who ends by itself so soon has not worked. */
const STABLE_AFTER_MS = 10_000;
/** The wait before the next try, after each failure twice as long. */
const WAIT_MS = 100;
const WAIT_MAX_MS = 30_000;
/** How long workers that are cut off get to end by themselves. */
const CUT_MAX_MS = 1_000;

/** Keeps so many workers at work: those that end by themselves are replaced. */
export class WorkerPool {
  readonly #logger: Logger;
  readonly #all = new Set<WorkerProcess>();
  /** Who takes requests. */
  readonly #serving = new Set<WorkerProcess>();
  readonly #freePort: number | undefined;
  #size: number;
  #housekeeper: WorkerProcess | undefined;
  /** So many have failed in a row. */
  #failures = 0;
  #filling: Promise<void> | undefined;
  isStopping = false;

  /**
   * The workers load the program, and wait for `start`. `freePort` is where they listen if any port will do: their own
   * choice would be another one once all of them have died.
   */
  constructor(size: number, logger: Logger, freePort: number | undefined) {
    this.#freePort = freePort;
    this.#size = size;
    this.#logger = logger;
    for (let count = 0; count < size; count += 1) this.#hire();
  }

  /**
   * Resolves with the address at which all of them listen. First one tries alone: what it cannot do, nobody can.
   * @throws {AppError} `unavailable`, with words for the operator
   */
  async start(): Promise<string> {
    const [first, ...others] = this.#all;
    if (first === undefined) throw new Error('There are no workers');
    const url = await first.start();
    await Promise.all(others.map((worker) => worker.start()));
    for (const worker of this.#all) this.#admit(worker);
    return url;
  }

  /**
   * Replaces all workers, one after the other: the new one listens before the old one takes no more requests.
   * @throws {AppError} `unavailable` if one cannot start, also because all are being stopped: then those that are not
   * replaced yet go on
   */
  async replaceAll(size: number): Promise<void> {
    this.#size = size;
    for (const old of [...this.#serving].slice(0, size)) {
      await this.#add();
      await this.#dismiss(old);
    }
    await this.#fill();
    for (const surplus of [...this.#serving].slice(0, -size)) await this.#dismiss(surplus);
  }

  /** Lets all workers finish what runs, and resolves when they have ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.#all].map((worker) => worker.end('stop')));
  }

  /** Breaks off what runs, and resolves when all have ended. */
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

  #hire(): WorkerProcess {
    if (this.isStopping) throw new AppError('unavailable', 'The service is stopping.');
    const worker = new WorkerProcess(this.#freePort);
    this.#all.add(worker);
    void worker.ended.then(() => this.#all.delete(worker));
    return worker;
  }

  async #add(): Promise<void> {
    const worker = this.#hire();
    const url = await worker.start();
    this.#logger.info({ worker: worker.pid, url }, 'a worker listens');
    this.#admit(worker);
  }

  #admit(worker: WorkerProcess): void {
    this.#serving.add(worker);
    this.#appointHousekeeper();
    void worker.ended.then((end) => {
      // Whoever was dismissed may go.
      if (!this.#serving.delete(worker) || this.isStopping) return;
      this.#logger.error({ worker: worker.pid, ...end }, 'a worker has ended by itself, and is replaced');
      this.#failures = worker.ageMs < STABLE_AFTER_MS ? this.#failures + 1 : 0;
      this.#appointHousekeeper();
      void this.#fill();
    });
  }

  async #dismiss(worker: WorkerProcess): Promise<void> {
    if (!this.#serving.delete(worker)) return;
    this.#appointHousekeeper();
    await worker.end('be replaced');
  }

  #appointHousekeeper(): void {
    if (this.#housekeeper !== undefined && this.#serving.has(this.#housekeeper)) return;
    [this.#housekeeper] = this.#serving;
    this.#housekeeper?.tell('keep house');
  }

  /** Hires until there are enough. */
  async #fill(): Promise<void> {
    this.#filling ??= this.#hireMissing().finally(() => {
      this.#filling = undefined;
    });
    await this.#filling;
  }

  async #hireMissing(): Promise<void> {
    while (!this.isStopping && this.#serving.size < this.#size) {
      if (this.#failures > 0) await sleep(Math.min(WAIT_MS * 2 ** this.#failures, WAIT_MAX_MS));
      if (this.isStopping) return;
      try {
        await this.#add();
      } catch (error) {
        this.#failures += 1;
        this.#logger.error({ err: error }, 'a worker could not start; the next try follows');
      }
    }
  }
}
