import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FloodOrder, type FloodReport, STRANGER } from '../../../../bench/src/flood-order.ts';
import { bodyOf, PRICE } from '../../../../bench/src/flood-tally.ts';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { createLedger, type Known, type Ledger } from '../../../../testkit/src/ledger.ts';
import type { Trial } from '../../part.ts';
import { createTenant, importRows, readJson, serve } from '../../service.ts';

const FLOOD_PROGRAM = join(import.meta.dirname, 'flood-process.ts');
/** How long clients wait for a response. The small form waits longer, because it also runs on busy machines. */
const PATIENCE_SECONDS = { full: 10, small: 30 };
const LISTINGS = 300;
const PROBES = ['/livez', '/readyz'];
const PROBE_INTERVAL_MS = 100;

export type Flow = Pick<FloodOrder, 'perSecond' | 'inFlight' | 'mix' | 'connections' | 'timedFromMs'> & {
  seconds: number;
};

export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Starts a service. `listed` is the number of listings in the account whose list is read and searched. */
export async function setStage(trial: Trial, settings: Record<string, string> = {}, listed = LISTINGS) {
  const [tenant, other] = [await createTenant(trial, settings), await createTenant(trial, settings)];
  const { url } = await serve(trial, settings);
  const ledger = createLedger();
  const fill = (key: string, count: number) => importRows(url, key, seeds(count).map(bodyOf));
  await Promise.all([fill(other.key, listed), fill(tenant.key, LISTINGS)]);
  for (const address of seeds(LISTINGS)) ledger.known.set(address, knownOf(address));
  const { data } = await readJson<{ data: { id: string }[] }>(url, '/listings?limit=1', tenant.key);
  let floods = 0;
  return {
    ...{ url, tenant, ledger },
    async flood(flow: Flow, given: { key?: string; onStart?: (startMs: number) => void } = {}): Promise<FloodReport> {
      const { key = tenant.key, onStart } = given;
      floods += 1;
      const order = {
        ...flow,
        port: Number(new URL(url).port),
        keys: { changing: key, listing: other.key, stranger: STRANGER },
        listingIds: data.map(({ id }) => id),
        name: `${floods}`,
        seed: trial.seed + floods,
        patienceSeconds: PATIENCE_SECONDS[trial.size],
        isKeyAsked: settings.DATABASE_URL === undefined,
      };
      const report = await floodFromOutside(trial, order, onStart);
      write(report, ledger);
      return report;
    },
  };
}

function seeds(length: number): string[] {
  return Array.from({ length }, (_, index) => `${index} Lane 0`);
}

function knownOf(address: string): Known {
  return { address, listPrice: PRICE, version: 1 };
}

async function floodFromOutside(
  trial: Trial,
  order: FloodOrder & Pick<Flow, 'seconds'>,
  onStart: (startMs: number) => void = () => {},
): Promise<FloodReport> {
  const child: ChildProcess = fork(FLOOD_PROGRAM, [JSON.stringify(order)]);
  defer(trial, () => child.kill('SIGKILL'));
  // The child's last message arrives before 'disconnect', but not always before 'exit'.
  const ended = Promise.all([once(child, 'disconnect'), once(child, 'exit')]);
  let report: FloodReport | undefined;
  child.on('message', (told: number | FloodReport) => {
    if (typeof told === 'number') onStart(told);
    else report = told;
  });
  await ended;
  if (report === undefined) throw new Error(`the flood ended without a report: ${child.exitCode ?? child.signalCode}`);
  return report;
}

function write({ told }: FloodReport, ledger: Ledger): void {
  for (const address of told.stored) ledger.known.set(address, knownOf(address));
  for (const address of told.refused) ledger.gone.add(address);
  ledger.unknown.push(...told.unknown.map((address) => [knownOf(address)]));
}

/** Asserts that `/livez` and `/readyz` always return 200 while `work` runs. */
export async function probeDuring<T>(url: string, work: Promise<T>) {
  const probing = { count: 0, slowestMs: 0 };
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  while (!isOver) {
    for (const path of PROBES) {
      const startMs = performance.now();
      const response = await fetch(url + path);
      await response.text();
      probing.slowestMs = Math.max(probing.slowestMs, performance.now() - startMs);
      probing.count += 1;
      assert.equal(response.status, 200, `${path} returned ${response.status} during the overload`);
    }
    await sleep(PROBE_INTERVAL_MS);
  }
  return [await ended, probing] as const;
}
