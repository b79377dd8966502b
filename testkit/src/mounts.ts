import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Why nothing can be mounted here; undefined if it can. */
export function whyNoMounts(): string | undefined {
  return process.platform === 'linux' && process.getuid?.() === 0
    ? undefined
    : 'it takes root on Linux to mount a disk';
}

/**
 * Mounts something on a directory. A process of its own sees to its end, as this one may be ended by force.
 * @returns what ends it
 */
export function mount(directory: string, options: readonly string[], what: string): () => Promise<void> {
  execFileSync('mount', [...options, what, directory]);
  // Also while files are open there.
  const script = 'cat > /dev/null; umount --lazy "$0"';
  const guard = spawn('sh', ['-c', script, directory], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  return async () => {
    guard.stdin.end();
    await once(guard, 'exit');
  };
}
