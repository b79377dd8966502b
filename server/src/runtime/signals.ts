import { isatty } from 'node:tty';
import type { ServiceLog } from './service-log.ts';

/** Under npm, Ctrl-C sends the signal twice, so signals within a second of the first are ignored. */
const SECOND_SIGNAL_AFTER_MS = 1_000;
const STANDARD_STREAMS = [0, 1, 2];

/**
 * The signal that ends the service: SIGINT, SIGTERM, or SIGHUP if its terminal has closed. Any other SIGHUP calls
 * `reload`. The listeners are never removed: if one were missing for an instant, a signal would end the process.
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

interface Running {
  stop(): Promise<void>;
  /** Aborts in-flight requests. */
  cut(): void | Promise<void>;
}

/** Waits for the signal, stops the service, and ends the process. A second signal aborts in-flight requests. */
export async function stopOnSignal(signalled: Promise<string>, log: ServiceLog, { stop, cut }: Running) {
  const signal = await signalled;
  log.logger.info({ signal }, 'stopping');
  exitOnSecondSignal(log, cut);
  await stop();
  await exitStopped(log);
}

function exitOnSecondSignal({ logger, flush }: ServiceLog, cut: Running['cut']): void {
  const firstTimeMs = performance.now();
  const onSignal = async () => {
    if (performance.now() - firstTimeMs < SECOND_SIGNAL_AFTER_MS) return;
    logger.warn('got a second signal; exiting immediately');
    flush();
    process.exitCode = 1;
    await cut();
    process.exit();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/** Ends the process after the service has stopped. The exit code is 1 after a second signal. */
export async function exitStopped({ logger, end }: ServiceLog): Promise<never> {
  if (process.exitCode === undefined) logger.info('stopped');
  await end();
  process.exit();
}

/**
 * Resolves when the service has started or, with undefined, as soon as there is a signal. The caller then ends the
 * process without waiting for the start, which can include minutes of migration and is safe to interrupt.
 */
export async function untilStarted<T>(starting: Promise<T>, signalled: Promise<string>): Promise<T | undefined> {
  return await Promise.race([starting, signalled.then(() => undefined)]);
}
