import { write } from '../output/standard-output.ts';
import { pad, paint, toJson, toLine } from '../output/terminal.ts';
import type { Attempt } from './deliver.ts';

/** An attempt to deliver a webhook, and what happens next. */
export interface Delivery extends Attempt {
  /** The `webhook-id` header. */
  id: string;
  type: string;
  listingId: string;
  next: '' | 'gave up' | `retry in ${number} s`;
}

const GAP = '  ';
/** Column widths: the length of the longest event type, of a listing's ID, and of an HTTP status. */
const WIDTHS = { type: 15, listing: 30, status: 3 };

/** Writes an attempt as one line: columns in a terminal, fields separated by tabs in a pipe, or JSON. */
export async function writeDelivery(delivery: Delivery, json: true | undefined): Promise<void> {
  const { isDelivered, ...shown } = delivery;
  const time = new Date();
  if (json) return write(`${toJson({ time, ...shown })}\n`);
  const { type, listingId, next } = delivery;
  const status = toLine(`${delivery.status}`);
  const duration = `${delivery.durationMs} ms`;
  if (!process.stdout.isTTY) {
    return write(`${[time.toISOString(), type, listingId, status, duration, next].join('\t').trimEnd()}\n`);
  }
  const columns = [
    time.toTimeString().slice(0, 8),
    pad(type, WIDTHS.type),
    pad(listingId, WIDTHS.listing),
    paint(process.stdout, isDelivered ? 'green' : 'red', pad(status, WIDTHS.status)),
    duration,
    next,
  ];
  await write(`${columns.join(GAP).trimEnd()}\n`);
}
