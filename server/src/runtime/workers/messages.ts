/** What the first process tells a worker. */
export type Order =
  /** Open the database and listen. */
  | 'start'
  /** Do what one process does for all. */
  | 'keep house'
  /** The service stops. */
  | 'stop'
  /** Another worker has taken this one's place. */
  | 'be replaced'
  /** Break off what runs. */
  | 'cut'
  /** No connection is on its way to this worker any more. */
  | 'leave';

/** What a worker tells the first process. */
export type Report =
  | { report: 'listening'; url: string }
  /** It cannot start; the message is for the operator. */
  | { report: 'failed'; message: string }
  /** All that ran is finished, and the database is closed. */
  | { report: 'finished' };

const ORDERS: readonly Order[] = ['start', 'keep house', 'stop', 'be replaced', 'cut', 'leave'];

/** Other messages go over the same channel, such as those that count requests. */
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
