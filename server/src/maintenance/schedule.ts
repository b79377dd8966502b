import type { Logger } from 'pino';

/**
 * Runs `work` every `intervalMs`, never twice at once; an error is logged, and the next turn tries again.
 * Returns what stops it: work that is under way is told by its signal, and waited for.
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
