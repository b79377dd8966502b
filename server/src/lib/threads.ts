import { readFileSync } from 'node:fs';
import { isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** In the single executable, a thread cannot read the embedded files, so it gets its program as a string. */
export function startThread(file: URL, options: WorkerOptions = {}): Worker {
  // With `node --watch`, the thread would post its imports, which would be mistaken for results.
  const env = { ...process.env, WATCH_REPORT_DEPENDENCIES: '' };
  if (!isSea()) return new Worker(file, { ...options, env });
  return new Worker(readFileSync(file, 'utf8'), { ...options, env, eval: true });
}

/** Calls `end` once the thread has ended. `reason` is the error that ended it, if there is one. */
export function onExit(thread: Worker, end: (reason: unknown) => void): void {
  let reason: unknown;
  thread.on('error', (error) => {
    reason = error;
  });
  thread.on('exit', () => end(reason));
}
