import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Returns why this process cannot mount a file system; undefined if it can. */
export function whyNoMounts(): string | undefined {
  return process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'mounting a disk needs root on Linux';
}

/**
 * Mounts a file system. A separate process unmounts it even if this one is killed.
 * @returns a function that unmounts it
 */
export function mount(directory: string, options: readonly string[], what: string): () => Promise<void> {
  execFileSync('mount', [...options, what, directory]);
  // Unmount lazily, because files may still be open there.
  const script = 'cat > /dev/null; umount --lazy "$0"';
  const guard = spawn('sh', ['-c', script, directory], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  return async () => {
    guard.stdin.end();
    await once(guard, 'exit');
  };
}
