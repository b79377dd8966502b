import type { ServeProcess } from '../../../../server/test/support/process.ts';
import { exitOf, waitUntilRefused } from '../../../../server/test/support/serving.ts';
import { workersOf } from '../../../../server/test/support/workers.ts';
import type { Random } from '../../random.ts';

/** All its processes. */
export async function killAtOnce(service: ServeProcess): Promise<boolean> {
  const workers = await workersOf(service);
  service.child.kill('SIGKILL');
  workers.forEach(kill);
  await exitOf(service.child);
  await waitUntilRefused(service.url);
  return true;
}

/** All of its processes, one worker, or the first one: then its workers leave by themselves. */
export async function killSome(service: ServeProcess, random: Random): Promise<boolean> {
  const what = random.pick(['all', 'all', 'worker', 'first']);
  if (what === 'all') return killAtOnce(service);
  if (what === 'worker') {
    kill(random.pick(await workersOf(service)));
    return false;
  }
  service.child.kill('SIGKILL');
  await exitOf(service.child);
  await waitUntilRefused(service.url);
  return true;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
