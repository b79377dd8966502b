/** Orders of the first process to a worker. */
const ORDERS = [
  /** Open the database and listen. */
  'start',
  /** Run the scheduled work, as one process does for all. */
  'keep house',
  /** The service stops. */
  'stop',
  /** Another worker has taken this one's place. */
  'be replaced',
  /** Abort running requests. */
  'cut',
  /** No more connections will be handed to this worker. */
  'leave',
] as const;

export type Order = (typeof ORDERS)[number];

/** A worker's message to the first process. */
export type Report =
  | { report: 'listening'; url: string }
  /** It cannot start; the message is for the operator. */
  | { report: 'failed'; message: string }
  /** Every request has finished, and the database is closed. */
  | { report: 'finished' };

/** Other messages use the same channel, such as those that count requests. */
export function findOrder(message: unknown): Order | undefined {
  const { order } = Object(message);
  return ORDERS.find((known) => known === order);
}

export function findReport(message: unknown): Report | undefined {
  const { report, url, message: words } = Object(message);
  if (report === 'listening') return { report, url: String(url) };
  if (report === 'failed') return { report, message: String(words) };
  return report === 'finished' ? { report } : undefined;
}
