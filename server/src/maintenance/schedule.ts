import type { Logger } from 'pino';
import { AppError } from '../model/errors.ts';

/**
 * Runs `work` every `intervalMs`, and with `startsNow` also at once, but never twice at the same time. The next run tries
 * again after an error; of several errors in a row, the first is logged.
 * @returns a function that stops the schedule: it aborts running work, and waits until the work
 * ends
 */
export function schedule(
  name: string,
  intervalMs: number,
  work: (signal: AbortSignal) => Promise<void>,
  logger: Logger,
  { startsNow = false } = {},
): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(start, intervalMs);
  if (startsNow) start();

  let failed = 0;
  async function run(): Promise<void> {
    try {
      await work(stopping.signal);
      if (failed > 0) logger.info({ work: name, failed }, 'scheduled work succeeds again');
      failed = 0;
    } catch (error) {
      failed += 1;
      if (failed > 1) return;
      // Requests report a lost database with its error.
      if (error instanceof AppError && error.code === 'unavailable')
        logger.warn({ work: name }, `not done: ${error.message}`);
      else logger.error({ err: error, work: name }, 'scheduled work failed');
    }
  }

  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}
