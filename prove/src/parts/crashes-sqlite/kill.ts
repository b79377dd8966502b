import { readFile } from 'node:fs/promises';
import { PATIENCE_MS } from '../../../../testkit/src/patient-caller.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { exitOf, waitUntilRefused } from '../../../../testkit/src/serving.ts';
import { until } from '../../../../testkit/src/until.ts';
import { workersOf } from '../../../../testkit/src/workers.ts';
import type { Random } from '../../random.ts';

export async function killAtOnce(service: ServeProcess): Promise<boolean> {
  const workers = await workersOf(service);
  service.child.kill('SIGKILL');
  workers.forEach(kill);
  await waitUntilGone(service, workers);
  return true;
}

async function waitUntilGone(service: ServeProcess, workers: readonly number[]): Promise<void> {
  await exitOf(service.child);
  await waitUntilRefused(service.url);
  const areGone = async () => (await Promise.all(workers.map(hasEnded))).every(Boolean);
  await until('its workers are gone', areGone, PATIENCE_MS);
}

/** Zombies count as ended. */
async function hasEnded(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat === undefined || stat.includes(') Z ');
}

/** All processes, one worker, or the first process, whose workers then exit. */
export async function killSome(service: ServeProcess, random: Random): Promise<boolean> {
  const what = random.pick(['all', 'all', 'worker', 'first']);
  if (what === 'all') return killAtOnce(service);
  if (what === 'worker') {
    kill(random.pick(await workersOf(service)));
    return false;
  }
  const workers = await workersOf(service);
  service.child.kill('SIGKILL');
  await waitUntilGone(service, workers);
  return true;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
