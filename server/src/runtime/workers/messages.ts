import type { ProcessMetrics } from '../../lib/metrics.ts';

/** The environment variable in which a worker gets the release of the first process. */
export const RELEASE_VARIABLE = 'PROPERTY_LISTINGS_RELEASE';
/** The environment variable in which a worker gets the number of sockets that it inherits. */
export const SOCKETS_VARIABLE = 'PROPERTY_LISTINGS_SOCKETS';
/** The file descriptor of the first socket that a worker inherits. */
export const FIRST_SOCKET = 4;

/** Orders from the first process to a worker. */
const ORDERS = [
  /** Open the database and listen. */
  'start',
  /** Run the scheduled work for all processes. */
  'keep house',
  /** Stop, since the service is stopping. */
  'stop',
  /** Stop, since another worker has taken this one's place. */
  'be replaced',
  /** Abort in-flight requests. */
  'cut',
  /** Report your metrics. */
  'measure',
] as const;

export type Order = (typeof ORDERS)[number];

/** A worker's message to the first process. */
export type Report =
  | { report: 'listening'; url: string }
  /** The worker cannot start; the message is for the operator. */
  | { report: 'failed'; message: string }
  | { report: 'metrics'; metrics: ProcessMetrics };

/** Returns the order in a message. Other messages, such as those that count requests, use the same channel. */
export function findOrder(message: unknown): Order | undefined {
  const { order } = Object(message);
  return ORDERS.find((known) => known === order);
}

export function findReport(message: unknown): Report | undefined {
  const { report, url, message: words, metrics } = Object(message);
  if (report === 'listening') return { report, url: String(url) };
  if (report === 'failed') return { report, message: String(words) };
  return report === 'metrics' ? { report, metrics } : undefined;
}
