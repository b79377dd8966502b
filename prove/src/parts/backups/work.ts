import assert from 'node:assert/strict';
import type { TestDatabase } from '../../../../testkit/src/database.ts';
import { assertKept, type Known } from '../../../../testkit/src/ledger.ts';
import { startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import type { Trial } from '../../part.ts';
import { createTenant, serve } from '../../service.ts';
import { type Event, read, readEvents } from './history.ts';
import { fill, type Probe, startProbe } from './probe.ts';

const LANES = 6;
const PATIENCE_MS = 120_000;
/** A running service never responds with these. */
const REFUSALS = ['unavailable', 'outcome_unknown', 'storage_full', 'rate_limited', 'lost', 'unreachable', 'closing'];

export interface Site {
  name: string;
  settings: Record<string, string>;
  database: TestDatabase;
  count: number;
  /** Listings that exist beforehand. */
  filler: number;
}

/** What the load knew at a moment. */
export interface Noted {
  known: Map<string, Known>;
  gone: Set<string>;
  sequence: number;
  etag: string | undefined;
}

export interface Done {
  tenant: { accountId: string; key: string };
  events: Event[];
  epoch: string;
  acknowledged: number;
  /** How long writes took, without and during a backup. */
  probe: Probe | undefined;
}

export type Work = Awaited<ReturnType<typeof startWork>>;

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
      assert.ok(await goOn(writes, PATIENCE_MS), `waited ${PATIENCE_MS / 1_000} s in vain for ${writes} writes`);
    },
    async note(): Promise<Noted> {
      const known = new Map(load.ledger.known);
      const gone = new Set(load.ledger.gone);
      const headers = { Authorization: `Bearer ${tenant.key}` };
      const response = await fetch(`${service.url}/v1/listings?limit=1`, { headers });
      const { sequence } = JSON.parse(await response.text());
      return { known, gone, sequence, etag: response.headers.get('etag') ?? undefined };
    },
    /** Ends the load, compares the stored state with the ledger, and stops the service. */
    async finish(whileItServes: () => Promise<void> = async () => {}): Promise<Done> {
      await Promise.all([load.finish(), probe?.end()]);
      const refused = REFUSALS.filter((what) => told(what) > 0).map((what) => `${told(what)} × ${what}`);
      assert.equal(refused.length, 0, `requests were refused or lost during backups: ${refused.join(', ')}`);
      await assertKept(service.url, tenant, database, load.ledger);
      await whileItServes();
      const { epoch } = await read<{ epoch: string }>(service.url, '/listings?limit=1', tenant.key);
      const events = await readEvents(service.url, tenant.key);
      assert.equal(await service.end(), 0, 'the service did not end well');
      return { tenant, events, epoch, acknowledged: told('acknowledged'), probe };
    },
  };
}
