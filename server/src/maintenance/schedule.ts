import type { Logger } from 'pino';
import { AppError } from '../model/errors.ts';

/**
 * Runs `work` every `intervalMs` and, with `startsNow`, also immediately, but never twice at the same time.
 * After an error, the next run tries again; of several errors in a row, only the first is logged.
 * @returns a function that stops the schedule: it aborts running work and waits for it to end
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
      // If the database is not available, requests already log the cause.
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
