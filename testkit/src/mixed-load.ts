import { Lane } from './lane.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { PATIENCE_MS, PatientCaller } from './patient-caller.ts';
import { until } from './until.ts';

export interface MixedLoad {
  ledger: Ledger;
  /** How many requests each lane has finished. */
  turns: number[];
  /** Whether a promise was broken: then `ended` says which. */
  isBroken(): boolean;
  /** Resolves once no request is under way; rejects with the first broken promise. There must be a service that answers. */
  pause(): Promise<void>;
  resume(): void;
  finish(): void;
  /** Resolves when all lanes have ended; rejects with the first broken promise. */
  ended: Promise<void>;
}

/**
 * Sends whatever changes and reads listings by so many lanes, each time to another of the services, until told. `urls` may
 * change: a lane whose service is gone goes on with the next one.
 */
export function startMixedLoad(urls: readonly string[], key: string, lanes: number): MixedLoad {
  const ledger = createLedger();
  const turns: number[] = Array(lanes).fill(0);
  let isFinished = false;
  let isBroken = false;
  let resting = 0;
  let pause: PromiseWithResolvers<void> | undefined;
  const run = async (index: number): Promise<void> => {
    const lane = new Lane(`${index}`, new PatientCaller(urls, key, ledger.counts), ledger);
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
    isBroken: () => isBroken,
    async pause() {
      pause ??= Promise.withResolvers();
      await until('the load rests', () => resting === lanes || isBroken, PATIENCE_MS);
      if (isBroken) await ended;
    },
    resume() {
      pause?.resolve();
      pause = undefined;
    },
    finish() {
      isFinished = true;
      this.resume();
    },
    ended,
  };
}
