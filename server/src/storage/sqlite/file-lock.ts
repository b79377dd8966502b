import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './errors.ts';

/**
 * Locks a dedicated file, which is created if there is none. The operating system unlocks the file when the
 * process ends, even if the process is killed.
 * @returns the lock, which is held until it is disposed of; undefined if another process has it
 */
export function lockFile(path: string): Disposable | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
