import cluster, { type Worker } from 'node:cluster';
import { OwnPermits, type Permits, type Permitted, type Release } from '../../http/gate/permits.ts';
import { stopping } from '../../storage/errors.ts';

// With workers, the first process gives out the permits for uploads (http/gate/permits.ts) to all of them.

/** From a worker: asks for a permit, gives one back, or stops waiting for one. */
type PermitRequest =
  | { permit: 'take' | 'wait'; id: number; what: Permitted; accountId: string }
  | { permit: 'release'; id: number };

/** From the first process: the response to a request for a permit. */
interface PermitReply {
  permit: 'given' | 'refused';
  id: number;
}

/** Gives out this process's permits to all workers, and takes back the permits of workers that have ended. */
export function givePermits(): void {
  const permits = new OwnPermits();
  const held = new Map<Worker, Map<number, Release>>();
  cluster.on('message', (worker: Worker, message: unknown) => {
    const request = findRequest(message);
    if (request === undefined) return;
    const ofWorker = held.get(worker) ?? new Map<number, Release>();
    held.set(worker, ofWorker);
    const { id } = request;
    if (request.permit !== 'release') return void give(permits, worker, ofWorker, request);
    ofWorker.get(id)?.();
    ofWorker.delete(id);
  });
  const takeBack = (worker: Worker) => {
    for (const release of held.get(worker)?.values() ?? []) release();
    held.delete(worker);
  };
  // Handled on both events, because messages that arrive between them can still take permits.
  cluster.on('exit', takeBack).on('disconnect', takeBack);
}

async function give(
  permits: OwnPermits,
  worker: Worker,
  held: Map<number, Release>,
  { permit, id, what, accountId }: Exclude<PermitRequest, { permit: 'release' }>,
): Promise<void> {
  const left = new AbortController();
  held.set(id, () => left.abort());
  const waits = permit === 'wait';
  const asked = waits ? permits.wait(what, accountId, left.signal) : permits.take(what, accountId);
  const release = await asked.catch(() => undefined);
  if (left.signal.aborted) return release?.();
  if (release === undefined) held.delete(id);
  else held.set(id, release);
  const reply: PermitReply = { permit: release === undefined ? 'refused' : 'given', id };
  if (worker.isConnected()) worker.send(reply);
}

function findRequest(message: unknown): PermitRequest | undefined {
  const { permit, id, what, accountId } = Object(message);
  if (permit === 'release') return { permit, id: Number(id) };
  const isAsked = permit === 'take' || permit === 'wait';
  return isAsked ? { permit, id: Number(id), what, accountId: String(accountId) } : undefined;
}

/** How long an upload waits for the response of the first process. */
const ANSWER_MAX_MS = 500;

/** Permits from the first process. While that process does not respond, the worker uses its own permits. */
export class WorkerPermits implements Permits {
  readonly #own = new OwnPermits();
  #lastId = 0;
  /** The requests that still wait for a response. */
  readonly #asked = new Map<number, { settle: (isGiven: boolean) => void; fail: (error: unknown) => void }>();

  constructor() {
    process.on('message', (message: unknown) => {
      const { permit, id } = Object(message);
      if (permit === 'given' || permit === 'refused') this.#asked.get(id)?.settle(permit === 'given');
    });
    process.on('disconnect', () => {
      for (const { fail } of this.#asked.values()) fail(stopping());
    });
  }

  async take(what: Permitted, accountId: string): Promise<Release | undefined> {
    const late = AbortSignal.timeout(ANSWER_MAX_MS);
    try {
      return await this.#ask('take', what, accountId, late);
    } catch (error) {
      if (error === late.reason) return this.#own.take(what, accountId);
      throw error;
    }
  }

  async wait(what: Permitted, accountId: string, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    const taken = (await this.take(what, accountId)) ?? (await this.#ask('wait', what, accountId, signal));
    if (taken === undefined) throw stopping();
    return taken;
  }

  async #ask(
    permit: 'take' | 'wait',
    what: Permitted,
    accountId: string,
    signal: AbortSignal,
  ): Promise<Release | undefined> {
    signal.throwIfAborted();
    if (!process.connected) throw stopping();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<boolean>();
    this.#asked.set(id, { settle, fail });
    const leave = () => {
      tell({ permit: 'release', id });
      fail(signal.reason);
    };
    signal.addEventListener('abort', leave);
    tell({ permit, id, what, accountId });
    try {
      return (await promise) ? () => tell({ permit: 'release', id }) : undefined;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#asked.delete(id);
    }
  }
}

function tell(request: PermitRequest): void {
  if (process.connected) process.send?.(request);
}
