import cluster from 'node:cluster';
import { readConfig } from '../../config.ts';
import { ConfigError, readRelease } from '../../environment.ts';
import { createClusterLimiter } from '../../lib/limiter.ts';
import { readMetrics } from '../../lib/metrics.ts';
import { AppError } from '../../model/errors.ts';
import { beginWithDatabase } from '../../storage/open.ts';
import { enableProcessMetrics } from '../process-metrics.ts';
import { createLog } from '../service-log.ts';
import { startWithDatabase } from '../waiting.ts';
import { FIRST_SOCKET, findOrder, type Order, RELEASE_VARIABLE, type Report, SOCKETS_VARIABLE } from './messages.ts';
import { WorkerPermits } from './worker-permits.ts';

/** Runs a worker process of `serve`. @throws {ConfigError} if it was not started by `serve` */
export async function work(): Promise<void> {
  if (process.send === undefined) throw new ConfigError('Only serve starts workers: set WORKERS and run serve.');
  try {
    await serveUntilStopped();
  } catch (error) {
    const isForTheOperator = error instanceof AppError || error instanceof ConfigError;
    if (isForTheOperator) await send({ report: 'failed', message: error.message });
    else console.error(error);
    process.exit(1);
  }
}

/** Serves requests until the first process stops this one or ends. */
async function serveUntilStopped(): Promise<void> {
  const orders = receiveOrders();
  let isListening = false;
  // Before the worker listens, no request can be in flight.
  void orders.stop.then(() => isListening || process.exit(0));
  const config = readConfig(process.env);
  if (config.metricsAddress !== undefined) await enableProcessMetrics();
  const log = createLog(config, 'worker');
  // Loaded while the first process prepares the database.
  const { serveRequests, loadIdentity, SHUTDOWN_MAX_MS } = await import('../service.ts');
  await loadIdentity();
  await orders.start;
  requireSameRelease();
  const start = () =>
    beginWithDatabase(config, async (database) => {
      const sockets = inheritedSockets();
      const options = { createLimiter: createClusterLimiter, permits: new WorkerPermits(), sockets };
      const serving = await serveRequests(database, config, log, options);
      return { database, serving };
    });
  const { database, serving } = await startWithDatabase(start, config, { log, isServed: true });
  isListening = true;
  void orders['keep house'].then(serving.keepHouse);
  void orders.cut.then(() => {
    log.flush();
    serving.cut();
    process.exit(1);
  });
  await send({ report: 'listening', url: serving.url });

  const isReplaced = await Promise.race([orders.stop.then(() => false), orders['be replaced'].then(() => true)]);
  // If the whole service stops while this worker is being replaced, in-flight requests get less time.
  if (isReplaced) void orders.stop.then(() => setTimeout(serving.cut, SHUTDOWN_MAX_MS));
  await serving.stop({ isReplaced });
  await database.close();
  log.flush();
  await reportMetrics();
  process.exit(0);
}

/** The file descriptors of this worker's sockets; undefined if node:cluster distributes connections. */
function inheritedSockets(): number[] | undefined {
  const count = Number(process.env[SOCKETS_VARIABLE]);
  if (count === 0) return undefined;
  return Array.from({ length: count }, (_, index) => FIRST_SOCKET + index);
}

/** @throws {ConfigError} if another release was installed while the service was running */
function requireSameRelease(): void {
  const [installed, running] = [readRelease(), process.env[RELEASE_VARIABLE]];
  if (installed === running) return;
  throw new ConfigError(`Release ${installed} is installed, but ${running} is running; restart the service.`);
}

/**
 * A promise for each order except `measure`. Signals are ignored: a terminal sends them to all processes, and the first
 * process decides.
 */
function receiveOrders(): Record<Exclude<Order, 'measure'>, Promise<void>> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  // A message to a dead process emits an error.
  process.on('error', () => {});
  const obey = new Map<Order, () => void>();
  const expect = (order: Order) => new Promise<void>((resolve) => obey.set(order, resolve));
  process.on('message', (message: unknown) => {
    const order = findOrder(message);
    if (order === 'measure') void reportMetrics();
    else if (order !== undefined) obey.get(order)?.();
  });
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    // Otherwise, node:cluster would exit immediately and abort requests.
    worker.exitedAfterDisconnect = true;
    obey.get('stop')?.();
  });
  return {
    start: expect('start'),
    'keep house': expect('keep house'),
    stop: expect('stop'),
    'be replaced': expect('be replaced'),
    cut: expect('cut'),
  };
}

async function reportMetrics(): Promise<void> {
  await send({ report: 'metrics', metrics: await readMetrics() });
}

/** Resolves when the report has been sent, or at once if the first process has ended. */
function send(message: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}
