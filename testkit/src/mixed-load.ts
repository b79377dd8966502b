import { Lane } from './lane.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { PATIENCE_MS, PatientCaller } from './patient-caller.ts';
import { until } from './until.ts';

export interface MixedLoad {
  ledger: Ledger;
  /** The number of each lane's completed turns. A turn sends one or more requests. */
  turns: number[];
  /** Returns how often this outcome occurred. `PatientCaller` lists the outcomes. */
  told(what: string): number;
  /** Resolves with whether a condition became true in time. Rejects with the first error of a lane. */
  reaches(isSo: () => boolean, patienceMs: number): Promise<boolean>;
  /** Resolves when no request is in flight; a service must run until then. Rejects with the first error of a lane. */
  pause(): Promise<void>;
  resume(): void;
  /** Resolves when all lanes have ended. Rejects with the first error of a lane. */
  finish(): Promise<void>;
}

/**
 * Starts lanes that change and read listings on the services in turn. `urls` may change later. With `hasFeeds`, each
 * lane also has a feed. If a service is killed during the feed's run, the next run must wait for the lease to expire.
 */
export function startMixedLoad(urls: readonly string[], key: string, lanes: number, hasFeeds = false): MixedLoad {
  const ledger = createLedger();
  const turns: number[] = Array(lanes).fill(0);
  let isFinished = false;
  let isBroken = false;
  let resting = 0;
  let pause: PromiseWithResolvers<void> | undefined;
  const run = async (index: number): Promise<void> => {
    const lane = new Lane(`${index}`, new PatientCaller(urls, key, ledger.counts), ledger, hasFeeds);
    for (let turn = index; !isFinished; turn += 1) {
      resting += 1;
      await pause?.promise;
      resting -= 1;
      await lane.take(turn);
      turns[index] = (turns[index] ?? 0) + 1;
    }
  };
  const ended = Promise.all(Array.from({ length: lanes }, (_, index) => run(index))).then(() => undefined);
  ended.catch(() => {
    isBroken = true;
    isFinished = true;
    pause?.resolve();
  });
  return {
    ledger,
    turns,
    told: (what) => ledger.counts.get(what) ?? 0,
    async reaches(isSo, patienceMs) {
      const isInTime = await until('the load', () => isBroken || isSo(), patienceMs).catch(() => false);
      if (isBroken) await ended;
      return isInTime;
    },
    async pause() {
      pause ??= Promise.withResolvers();
      if (!(await this.reaches(() => resting === lanes, PATIENCE_MS))) throw new Error('the load does not pause');
    },
    resume() {
      pause?.resolve();
      pause = undefined;
    },
    finish() {
      isFinished = true;
      this.resume();
      return ended;
    },
  };
}
