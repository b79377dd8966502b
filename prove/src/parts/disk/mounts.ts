import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from '../../../../server/test/support/serving.ts';

/** Why nothing can be mounted here; undefined if it can. */
export function whyNoMounts(): string | undefined {
  return process.platform === 'linux' && process.getuid?.() === 0
    ? undefined
    : 'it takes root on Linux to mount a disk';
}

/** Mounts something on a directory until the end. A process of its own sees to that, as this one may be ended by force. */
export function mountFor(t: Cleanup, directory: string, options: readonly string[], what: string): void {
  execFileSync('mount', [...options, what, directory]);
  // Also while somebody has a file open there.
  const script = 'cat > /dev/null; umount --lazy "$0"';
  const guard = spawn('sh', ['-c', script, directory], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  t.after(async () => {
    guard.stdin.end();
    await once(guard, 'exit');
  });
}
