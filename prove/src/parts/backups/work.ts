import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, createLedger, type Known, type Ledger } from '../../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import type { Trial } from '../../part.ts';
import { createTenant, importRows, readJson, send, serve } from '../../service.ts';

const LANES = 6;
const PATIENCE_MS = 120_000;
/** Outcomes that must not occur with a running service. */
const REFUSALS = ['unavailable', 'outcome_unknown', 'storage_full', 'rate_limited', 'lost', 'unreachable', 'closing'];

export interface Site {
  name: string;
  settings: Record<string, string>;
  database: TestDatabase;
  count: number;
  /** The number of listings before the first backup. */
  filler: number;
}

export type Work = Awaited<ReturnType<typeof startWork>>;
export type Noted = Awaited<ReturnType<Work['note']>>;
export type Done = Awaited<ReturnType<Work['finish']>>;

export async function startWork(trial: Trial, { settings, filler, database }: Site) {
  const tenant = await createTenant(trial, settings);
  const service = await serve(trial, settings);
  const other = filler > 0 ? await createTenant(trial, settings) : undefined;
  if (other !== undefined) await fill(service.url, other.key, filler);
  const probe = other && startProbe(service.url, other.key);
  const load = startMixedLoad([service.url], tenant.key, LANES);
  const { told } = load;
  /** @returns whether this many writes were acknowledged in time */
  const goOn = (writes: number, patienceMs: number): Promise<boolean> => {
    const least = told('acknowledged') + writes;
    return load.reaches(() => told('acknowledged') >= least, patienceMs);
  };
  return {
    probe,
    rest: () => load.pause(),
    /** @returns whether a write that began after the call was acknowledged in time */
    writeOnce: (patienceMs: number) => goOn(LANES + 1, patienceMs),
    async goOn(writes: number): Promise<void> {
      const isInTime = await goOn(writes, PATIENCE_MS);
      assert.ok(isInTime, `waited ${PATIENCE_MS / 1_000} s without ${writes} acknowledged writes`);
    },
    async note() {
      const known = new Map(load.ledger.known);
      const gone = new Set(load.ledger.gone);
      const { text, headers } = await send(service.url, tenant.key, 'GET', '/listings?limit=1');
      return { known, gone, sequence: Number(JSON.parse(text).sequence), etag: headers.get('etag') ?? undefined };
    },
    /** Stops the load, compares the stored state with the ledger, and stops the service. */
    async finish(whileItServes: () => Promise<void> = async () => {}) {
      await Promise.all([load.finish(), probe?.end()]);
      const refused = REFUSALS.filter((what) => told(what) > 0).map((what) => `${told(what)} × ${what}`);
      assert.equal(refused.length, 0, `requests were rejected or lost during backups: ${refused.join(', ')}`);
      await assertKept(service.url, tenant, database, load.ledger);
      await whileItServes();
      const { epoch } = await readJson<{ epoch: string }>(service.url, '/listings?limit=1', tenant.key);
      const events = await readEvents(service.url, tenant.key);
      assert.equal(await service.end(), 0, 'the service did not exit with 0');
      return { tenant, events, epoch, acknowledged: told('acknowledged'), probe };
    },
  };
}

/** Creates many listings, so that a backup takes a while. */
async function fill(url: string, key: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => {
    const description = randomBytes(200).toString('hex');
    return JSON.stringify({ address: `${index} Elm Street`, beds: 3, baths: 2, description });
  });
  await importRows(url, key, rows);
}

/** Measures the durations of writes, both during a backup and without one. */
function startProbe(url: string, key: string) {
  const probe = { without: [] as number[], during: [] as number[] };
  const listing = { address: '12 Elm Street', beds: 3, baths: 2 };
  let isFinished = false;
  /** Durations of the writes that overlap the backup. */
  let touched: number[] | undefined;
  let current: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const atStart = touched;
    const startTimeMs = performance.now();
    const { status, text } = await send(url, key, 'POST', '/listings', listing);
    assert.equal(status, 201, `a write was rejected: ${text}`);
    const durationMs = performance.now() - startTimeMs;
    const times = atStart ?? touched;
    times?.push(durationMs);
    (times === undefined ? probe.without : probe.during).push(durationMs);
  };
  const run = async (): Promise<void> => {
    while (!isFinished) {
      current = write();
      await current;
    }
  };
  const ended = run();
  // `end` reports the error.
  ended.catch(() => {});
  return {
    ...probe,
    /** Marks the start of a backup. @returns a function that marks its end, and returns the longest write */
    begin() {
      const times: number[] = [];
      touched = times;
      return async () => {
        touched = undefined;
        await current;
        return Math.max(...times);
      };
    },
    end() {
      isFinished = true;
      return ended;
    },
  };
}

export interface Event {
  sequence: number;
  type: string;
  listingId: string;
  listing?: Known & { id: string };
}

export async function readEvents(url: string, key: string): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const path = `/events?limit=1000&after=${events.at(-1)?.sequence ?? 0}`;
    const { data } = await readJson<{ data: Event[] }>(url, path, key);
    if (data.length === 0) return events;
    events.push(...data);
  }
}

/** The state after `sequence` events. Listings deleted by then or created later must not exist. */
export function ledgerAt(events: readonly Event[], sequence: number): Ledger {
  const ledger = createLedger();
  const addresses = new Map<string, string>();
  for (const { listingId, listing } of events.slice(0, sequence)) {
    const address = listing?.address ?? addresses.get(listingId) ?? '';
    addresses.set(listingId, address);
    if (listing === undefined) ledger.known.delete(address);
    else ledger.known.set(address, listing);
  }
  for (const { listing } of events) if (listing && !ledger.known.has(listing.address)) ledger.gone.add(listing.address);
  return ledger;
}
