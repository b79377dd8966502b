import type pg from 'pg';
import { FairQueue } from '../../lib/fair-queue.ts';
import { ConnectionError, isConnectionLost } from './errors.ts';

/** So much is sent together: what comes next waits for its answers. */
const TOGETHER_MAX = 16;

/** Sends all its statements at once. */
type Work<T> = (client: pg.ClientBase) => Promise<T>;

interface Asker {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Waiter extends Asker {
  sinceMs: number;
  work: Work<unknown>;
}

/** Connections on which much is sent together: it waits for what was sent before, and for nothing else that is done in the database. */
export class SharedConnections {
  readonly #connect: (work: Work<void>) => Promise<void>;
  readonly #countMax: number;
  readonly #waitingMaxMs: number;
  readonly #waiting = new FairQueue<string, Waiter>();
  /** Who asks for what has not been sent. */
  readonly #asking = new Map<string, Asker[]>();
  #count = 0;

  /** `connect` runs work with a connection of its own, of which there are `countMax`. What has waited for `waitingMaxMs` is told so. */
  constructor(connect: (work: Work<void>) => Promise<void>, countMax: number, waitingMaxMs: number) {
    this.#connect = connect;
    this.#countMax = countMax;
    this.#waitingMaxMs = waitingMaxMs;
  }

  /** Runs `work`. What has the same `name` takes turns with the others. @throws {ConnectionError}; what `work` throws */
  run<T>(work: Work<T>, name: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const sinceMs = performance.now();
    this.#waiting.add(name, { sinceMs, work, resolve: (value) => resolve(value as T), reject });
    if (this.#count < this.#countMax) void this.#serve();
    return promise;
  }

  /** As `run`, for reading: what has the same `name` and was not sent is read once for all who ask. */
  read<T>(work: Work<T>, name: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const asker = { resolve: (value: unknown) => resolve(value as T), reject };
    const others = this.#asking.get(name);
    if (others === undefined) this.#readFor([asker], work, name);
    else others.push(asker);
    return promise;
  }

  #readFor(askers: Asker[], work: Work<unknown>, name: string): void {
    this.#asking.set(name, askers);
    const endAsking = () => {
      if (this.#asking.get(name) === askers) this.#asking.delete(name);
    };
    const reading = this.run((client) => {
      endAsking();
      return work(client);
    }, name);
    // What was never sent is asked for again.
    reading.finally(endAsking).then(
      (value) => tellAll(askers, ({ resolve }) => resolve(value)),
      (error: unknown) => tellAll(askers, ({ reject }) => reject(error)),
    );
  }

  async #serve(): Promise<void> {
    this.#count += 1;
    while (!this.#waiting.isEmpty) await this.#serveTogether();
    this.#count -= 1;
  }

  /** Each is told as soon as it is done. What a dead connection leaves waiting is served with another. */
  async #serveTogether(): Promise<void> {
    const together: Waiter[] = [];
    try {
      await this.#connect(async (client) => {
        together.push(...this.#takeNext());
        const runs = together.map(({ work, resolve, reject }) =>
          work(client).then(resolve, (error: unknown) => {
            reject(error);
            return error;
          }),
        );
        const lost = (await Promise.all(runs)).find(isConnectionLost);
        if (lost !== undefined) throw lost;
      });
    } catch (error) {
      if (together.length > 0) return;
      for (const { reject } of this.#waiting.takeAll()) reject(error);
    }
  }

  #takeNext(): Waiter[] {
    const taken: Waiter[] = [];
    const firstMs = performance.now() - this.#waitingMaxMs;
    while (taken.length < TOGETHER_MAX) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      if (next.sinceMs >= firstMs) taken.push(next);
      else next.reject(new ConnectionError('No connection to the database in time'));
    }
    return taken;
  }
}

/** They go on one after the other, and for so long in a turn of the event loop: each begins with something of its own. */
const TELLING_MS = 1;

async function tellAll(askers: readonly Asker[], tell: (asker: Asker) => void): Promise<void> {
  let endMs = performance.now() + TELLING_MS;
  for (const asker of askers) {
    tell(asker);
    // What it does before it waits for something is done first.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (performance.now() < endMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    endMs = performance.now() + TELLING_MS;
  }
}
