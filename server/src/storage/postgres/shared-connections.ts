import type pg from 'pg';
import { FairQueue } from '../../lib/fair-queue.ts';
import { inSlices } from '../../lib/in-slices.ts';
import { ConnectionError, isConnectionLost } from './errors.ts';

/** Maximum units of work in a batch. Further units wait for the batch's results. */
const BATCH_MAX = 16;

/** Short work, which sends all its statements at once. */
type Work<T> = (client: pg.ClientBase) => Promise<T>;

interface Caller {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Waiter extends Caller {
  sinceMs: number;
  work: Work<unknown>;
}

/** Connections for short work, which runs in batches. A batch waits for earlier batches, but not for other work. */
export class SharedConnections {
  readonly #connect: (work: Work<void>) => Promise<void>;
  readonly #countMax: number;
  readonly #waitingMaxMs: number;
  readonly #waiting = new FairQueue<string, Waiter>();
  /** The callers of reads that have not been sent yet. */
  readonly #readers = new Map<string, Caller[]>();
  #count = 0;

  /** `connect` runs work on one of `countMax` connections. Work that waits longer than `waitingMaxMs` is rejected. */
  constructor(connect: (work: Work<void>) => Promise<void>, countMax: number, waitingMaxMs: number) {
    this.#connect = connect;
    this.#countMax = countMax;
    this.#waitingMaxMs = waitingMaxMs;
  }

  /** Runs `work`. Work with different names takes turns. @throws {ConnectionError}, or what `work` throws */
  run<T>(work: Work<T>, name: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const sinceMs = performance.now();
    this.#waiting.add(name, { sinceMs, work, resolve: (value) => resolve(value as T), reject });
    if (this.#count < this.#countMax) void this.#serve();
    return promise;
  }

  /** Like `run`, but for reads: callers share a read of the same `name` that has not been sent yet. */
  read<T>(work: Work<T>, name: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const caller = { resolve: (value: unknown) => resolve(value as T), reject };
    const others = this.#readers.get(name);
    if (others === undefined) this.#readFor([caller], work, name);
    else others.push(caller);
    return promise;
  }

  #readFor(callers: Caller[], work: Work<unknown>, name: string): void {
    this.#readers.set(name, callers);
    const stopSharing = () => {
      if (this.#readers.get(name) === callers) this.#readers.delete(name);
    };
    const reading = this.run((client) => {
      stopSharing();
      return work(client);
    }, name);
    // Sharing must also stop here, in case the read was never sent.
    reading.finally(stopSharing).then(
      (value) => inSlices(callers, ({ resolve }) => resolve(value)),
      (error: unknown) => inSlices(callers, ({ reject }) => reject(error)),
    );
  }

  async #serve(): Promise<void> {
    this.#count += 1;
    while (!this.#waiting.isEmpty) await this.#serveBatch();
    this.#count -= 1;
  }

  /** Work settles as soon as it is done. If the connection dies, waiting work gets another connection. */
  async #serveBatch(): Promise<void> {
    const batch: Waiter[] = [];
    try {
      await this.#connect(async (client) => {
        batch.push(...this.#takeBatch());
        const runs = batch.map(({ work, resolve, reject }) =>
          work(client).then(resolve, (error: unknown) => {
            reject(error);
            return error;
          }),
        );
        const lost = (await Promise.all(runs)).find(isConnectionLost);
        if (lost !== undefined) throw lost;
      });
    } catch (error) {
      if (batch.length > 0) return;
      for (const { reject } of this.#waiting.takeAll()) reject(error);
    }
  }

  #takeBatch(): Waiter[] {
    const taken: Waiter[] = [];
    const firstMs = performance.now() - this.#waitingMaxMs;
    while (taken.length < BATCH_MAX) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      if (next.sinceMs >= firstMs) taken.push(next);
      else next.reject(new ConnectionError('No connection to the database in time'));
    }
    return taken;
  }
}
