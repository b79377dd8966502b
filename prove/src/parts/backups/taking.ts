import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createDatabase } from '../../../../server/test/support/database.ts';
import { assertKept, type Known } from '../../../../server/test/support/ledger.ts';
import { type MixedLoad, startMixedLoad } from '../../../../server/test/support/mixed-load.ts';
import { runCommand } from '../../../../server/test/support/process.ts';
import { until } from '../../../../server/test/support/until.ts';
import type { Trial } from '../../part.ts';
import type { Random } from '../../random.ts';
import { createTenant, serve, settingsOf } from '../../service.ts';
import { type Event, read, readEvents } from './history.ts';
import { fill, type Probe, startProbe } from './probe.ts';

const LANES = 6;
/** A backup comes after so many more acknowledged writes, at least and at most. */
const ACKNOWLEDGED_MIN = 30;
const ACKNOWLEDGED_MAX = 200;
const PATIENCE_MS = 120_000;

/** A backup, and what was known when it was begun and when it was there. */
export interface Taken {
  file: string;
  bytes: number;
  durationMs: number;
  /** What was acknowledged before, by address. */
  known: Map<string, Known>;
  gone: Set<string>;
  /** The account's sequence before and after. */
  from: number;
  to: number;
  /** The list's ETag, if nothing was written meanwhile. */
  etag: string | undefined;
}

/** What a service had done when it was stopped, and the backups that were taken of it. */
export interface Source {
  settings: Record<string, string>;
  tenant: { accountId: string; key: string };
  events: Event[];
  epoch: string;
  taken: Taken[];
  acknowledged: number;
  /** How long writes took while there was no backup, and during one. */
  probe: Probe | undefined;
}

/** Takes backups of a service under load, the last one while it rests. */
export async function takeUnderLoad(
  trial: Trial,
  random: Random,
  { name, count, filler, given }: { name: string; count: number; filler: number; given: Record<string, string> },
): Promise<Source> {
  const directory = join(trial.directory, name);
  const settings = settingsOf(trial, { DATA_DIR: directory, ...given });
  const tenant = await createTenant(trial, settings);
  const service = await serve(trial, settings);
  const other = filler > 0 ? await createTenant(trial, settings) : undefined;
  if (other !== undefined) await fill(service.url, other.key, filler);
  const probe = other && startProbe(service.url, other.key);
  const load = startMixedLoad([service.url], tenant.key, LANES);
  const take = async (index: number): Promise<Taken> => {
    const file = join(trial.directory, `${name}-${index}.db`);
    const known = new Map(load.ledger.known);
    const gone = new Set(load.ledger.gone);
    const before = await readList(service.url, tenant.key);
    const endPhase = probe?.begin();
    const startTimeMs = performance.now();
    const { code, stdout, stderr } = await runCommand(['backup', file, '--json'], settings);
    const durationMs = performance.now() - startTimeMs;
    endPhase?.();
    assert.equal(code, 0, `a backup under load has failed: ${stderr}`);
    const { bytes } = JSON.parse(stdout);
    const after = await readList(service.url, tenant.key);
    const etag = before.sequence === after.sequence ? after.etag : undefined;
    return { file, bytes, durationMs, known, gone, from: before.sequence, to: after.sequence, etag };
  };

  const taken: Taken[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 5 === 0) trial.say(`${name}: ${index} of ${count} backups`);
    await workOn(load, ACKNOWLEDGED_MIN + random.upTo(ACKNOWLEDGED_MAX - ACKNOWLEDGED_MIN));
    if (index > 0 && index === count - 1) await load.pause();
    taken.push(await take(index));
  }
  load.finish();
  await Promise.all([load.ended, probe?.end()]);
  await assertKept(service.url, tenant, await createDatabase(directory, 'sqlite'), load.ledger);
  const [first] = taken;
  await refuseWhileServed(first?.file ?? '', settings);
  const { epoch } = await read<{ epoch: string }>(service.url, '/listings?limit=1', tenant.key);
  const events = await readEvents(service.url, tenant.key);
  assert.equal(await service.end(), 0, 'the service did not end well');
  const { counts } = load.ledger;
  assert.equal(counts.get('unavailable') ?? 0, 0, 'writes were refused');
  const acknowledged = counts.get('acknowledged') ?? 0;
  return { settings, tenant, events, epoch, taken, acknowledged, probe };
}

async function workOn(load: MixedLoad, writes: number): Promise<void> {
  const told = () => load.ledger.counts.get('acknowledged') ?? 0;
  const before = told();
  await until('writes are acknowledged', () => load.isBroken() || told() >= before + writes, PATIENCE_MS);
  if (load.isBroken()) await load.ended;
}

async function readList(url: string, key: string): Promise<{ sequence: number; etag: string | undefined }> {
  const response = await fetch(`${url}/v1/listings?limit=1`, { headers: { Authorization: `Bearer ${key}` } });
  const { sequence } = JSON.parse(await response.text());
  return { sequence, etag: response.headers.get('etag') ?? undefined };
}

async function refuseWhileServed(file: string, settings: Record<string, string>): Promise<void> {
  const { code, stderr } = await runCommand(['restore', file, '--force'], settings);
  assert.ok(
    code === 1 && /stop the service/.test(stderr),
    `a running service was not in the way of a restore: ${stderr}`,
  );
}
