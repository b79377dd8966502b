import type { Logger } from 'pino';

/**
 * Runs `work` every `intervalMs`, never twice at once; an error is logged, and the next turn tries again.
 * Returns what stops it.
 */
export function schedule(name: string, intervalMs: number, work: () => Promise<void>, logger: Logger): () => void {
  let running = false;
  const timer = setInterval(async () => {
    if (running) return;
    running = true;
    try {
      await work();
    } catch (error) {
      logger.error({ err: error, work: name }, 'scheduled work failed');
    } finally {
      running = false;
    }
  }, intervalMs);
  return () => clearInterval(timer);
}
