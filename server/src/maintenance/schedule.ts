import type { Logger } from 'pino';

/**
 * Runs `work` every `intervalMs`, never twice at once. Errors are logged, and the next run tries
 * again.
 * @returns a function that stops the schedule: it aborts running work, and waits until the work
 * ends
 */
export function schedule(
  name: string,
  intervalMs: number,
  work: (signal: AbortSignal) => Promise<void>,
  logger: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= run().finally(() => {
      running = undefined;
    });
  }, intervalMs);

  async function run(): Promise<void> {
    try {
      await work(stopping.signal);
    } catch (error) {
      logger.error({ err: error, work: name }, 'scheduled work failed');
    }
  }

  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}
