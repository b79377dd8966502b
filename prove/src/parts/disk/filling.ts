import assert from 'node:assert/strict';
import { Browser } from '../../../../testkit/src/browser.ts';
import { type MixedLoad, startMixedLoad } from '../../../../testkit/src/mixed-load.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import type { Tenant } from '../../../../testkit/src/service.ts';
import { hasEnded } from '../../../../testkit/src/serving.ts';
import type { SmallDisk } from '../../../../testkit/src/small-disk.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import { CREDENTIALS, send, serve } from '../../service.ts';

/** Creates an API key through the dashboard's API, which is faster than with the command-line program. */
export async function makeTenant(service: ServeProcess): Promise<Tenant> {
  const browser = new Browser(service);
  const { account } = await browser.ask('POST', '/admin/auth/sign-in/email', CREDENTIALS);
  const { id, key } = await browser.ask('POST', '/admin/api-keys', { name: 'Test' }, 201);
  return { accountId: account.id, keyId: id, key };
}

/** Starts the service. @returns the service, or the error message if it does not start */
export async function startOrWords(trial: Trial, settings: Record<string, string>): Promise<ServeProcess | string> {
  return serve(trial, settings).catch((error: Error) => error.message);
}

const SOON_MS = 20_000;
const LANES = 8;
export const READS = ['/listings', '/listings?limit=20', '/listings?q=lane&sort=-listPrice', '/events', '/me'];

/** Per cycle, `refused` writes must be rejected on the full disk, and `acknowledged` ones succeed before and after. */
type Size = Record<'cycles' | 'refused' | 'acknowledged', number>;

/** Fills the disk repeatedly. While it is full, writes must get 507, and reads must work. Then writes must succeed. */
export async function fillUnderLoad(
  { trial, disk, service, tenant }: { trial: Trial; disk: SmallDisk; service: ServeProcess; tenant: Tenant },
  { cycles, refused, acknowledged }: Size,
  makeRoom: () => void,
): Promise<MixedLoad> {
  const load = startMixedLoad([service.url], tenant.key, LANES);
  const grow = async (what: string, codes: string[], count: number) => {
    const sum = () => codes.reduce((total, code) => total + load.told(code), 0);
    const least = sum() + count;
    const isThere = await load.reaches(() => hasEnded(service.child) || sum() >= least, SOON_MS);
    assert.ok(isThere, notSoon(what));
    assert.ok(!hasEnded(service.child), 'the service has ended');
  };
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    await grow('writes succeed while there is space', ['acknowledged'], acknowledged);
    disk.fill();
    await grow('writes are rejected', ['storage_full', 'unavailable'], refused);
    const unavailable = load.told('unavailable');
    assert.equal(unavailable, 0, 'writes on a full disk get 503, which invites an immediate retry');
    for (const path of READS) await assertRead(service, tenant, path);
    makeRoom();
    await grow('writes succeed again once there is space', ['acknowledged'], acknowledged);
    trial.say(`full disk ${cycle} of ${cycles}`);
  }
  await load.finish();
  return load;
}

export async function assertRead({ url }: ServeProcess, { key }: Tenant, path: string): Promise<string> {
  const { status, text } = await send(url, key, 'GET', path);
  assert.equal(status, 200, `${path} on a full disk: ${text}`);
  return text;
}

/** Like `until`, but a timeout is a broken promise. */
export async function expectSoon(what: string, ask: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, ask, SOON_MS).catch(() => assert.fail(notSoon(what)));
}

function notSoon(what: string): string {
  return `this did not happen within ${SOON_MS / 1_000} s: ${what}`;
}
