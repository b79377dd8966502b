import { isatty } from 'node:tty';
import type { ServiceLog } from './service-log.ts';

/** One Ctrl-C under npm arrives twice: a second signal counts only after a second. */
const SECOND_SIGNAL_AFTER_MS = 1_000;
const STANDARD_STREAMS = [0, 1, 2];

/**
 * The signal that ends the service: SIGINT, SIGTERM, or SIGHUP if the terminal is gone that it was started in. Any other
 * SIGHUP calls `reload`. The listeners stay: without one, even for an instant, the next signal would end the process.
 */
export function nextSignal(reload: () => void): Promise<string> {
  const terminals = STANDARD_STREAMS.filter(isatty);
  return new Promise((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
    process.on('SIGHUP', () => {
      if (terminals.every(isatty)) reload();
      else resolve('SIGHUP');
    });
  });
}

/** `cut` breaks off what runs. */
export function exitOnSecondSignal({ logger, flush }: ServiceLog, cut: () => void | Promise<void>): void {
  const firstTimeMs = performance.now();
  const onSignal = async () => {
    if (performance.now() - firstTimeMs < SECOND_SIGNAL_AFTER_MS) return;
    logger.warn('a second signal: exiting at once');
    flush();
    process.exitCode = 1;
    await cut();
    process.exit();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/** Ends the process once the service has stopped, be it that a second signal has broken off what ran. */
export async function exitStopped({ logger, end }: ServiceLog): Promise<never> {
  if (process.exitCode === undefined) logger.info('stopped');
  await end();
  process.exit();
}

/** What is under way at the start when the service is told to end: waiting. */
export function abortOn(signalled: Promise<unknown>): AbortSignal {
  const stopping = new AbortController();
  void signalled.then(() => stopping.abort());
  return stopping.signal;
}
