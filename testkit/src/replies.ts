import assert from 'node:assert/strict';
import { z } from 'zod';

const listingReply = z.looseObject({
  id: z.string().regex(/^lst_[0-9a-hjkmnp-tv-z]{26}$/),
  address: z.string(),
  beds: z.int(),
  baths: z.int(),
  status: z.string(),
  version: z.int(),
  createdAt: z.iso.datetime({ precision: 3 }),
  updatedAt: z.iso.datetime({ precision: 3 }),
});

const listReply = z.strictObject({
  data: z.array(listingReply),
  nextCursor: z.string().min(1).nullable(),
  sequence: z.int(),
  epoch: z.string().length(8),
  total: z.int().optional(),
});

const eventReply = z.strictObject({
  sequence: z.int(),
  type: z.enum(['listing.created', 'listing.updated', 'listing.deleted']),
  listingId: z.string(),
  externalId: z.string().optional(),
  listing: listingReply.optional(),
  changed: z.array(z.string()).optional(),
  createdAt: z.iso.datetime({ precision: 3 }),
});

const eventsReply = z.strictObject({ data: z.array(eventReply), nextAfter: z.int(), epoch: z.string().length(8) });

const fieldChange = z.union([
  z.strictObject({ from: z.unknown(), to: z.unknown() }),
  z.strictObject({ changed: z.literal(true) }),
]);

const historyReply = z.strictObject({
  data: z.array(
    z.strictObject({
      sequence: z.int(),
      version: z.int(),
      at: z.iso.datetime({ precision: 3 }),
      type: eventReply.shape.type,
      actor: z.union([
        z.strictObject({
          type: z.enum(['key', 'user', 'operator', 'unknown']),
          id: z.string().nullable(),
          name: z.string(),
        }),
        z.strictObject({ type: z.literal('feed'), name: z.string(), runId: z.string() }),
      ]),
      changes: z.record(z.string(), fieldChange),
    }),
  ),
  nextCursor: z.string().min(1).nullable(),
});

const fault = z.strictObject({
  line: z.int().optional(),
  field: z.string(),
  code: z.string(),
  message: z.string().min(1),
});

const errorReply = z.strictObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string().min(1),
    requestId: z.string(),
    details: z.array(fault).optional(),
  }),
});

/** The complete body of a 401 response below `/v1`. */
export const KEY_REJECTED = '{"error":{"code":"unauthorized","message":"Invalid or missing API key"}}';

export type ListReply = z.output<typeof listReply>;
export type EventsReply = z.output<typeof eventsReply>;
export type HistoryReply = z.output<typeof historyReply>;
export type ErrorReply = z.output<typeof errorReply>['error'];

export async function readList(response: Response): Promise<ListReply> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return listReply.parse(JSON.parse(text));
}

export async function readEvents(response: Response): Promise<EventsReply> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return eventsReply.parse(JSON.parse(text));
}

export async function readHistory(response: Response): Promise<HistoryReply> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return historyReply.parse(JSON.parse(text));
}

export async function readListing(response: Response, status = 200) {
  const text = await response.text();
  assert.equal(response.status, status, text);
  return listingReply.parse(JSON.parse(text));
}

export async function readError(response: Response, status: number, code: string): Promise<ErrorReply> {
  const text = await response.text();
  assert.deepEqual([response.status, response.headers.get('content-type')], [status, 'application/json'], text);
  const { error } = errorReply.parse(JSON.parse(text));
  assert.equal(error.code, code, text);
  assert.equal(error.requestId, response.headers.get('x-request-id'));
  return error;
}

export function faultsOf(error: ErrorReply): string[] {
  return (error.details ?? []).map(({ field, code }) => `${field}: ${code}`).sort();
}

/** Formats rows as lines, each with the row's members at these paths, such as `action` or `actor.name`. */
export function linesOf(rows: readonly object[] | undefined, ...paths: string[]): string[] {
  const memberOf = (row: unknown, path: string) => path.split('.').reduce((value, name) => Object(value)[name], row);
  return (rows ?? []).map((row) => paths.map((path) => String(memberOf(row, path))).join(' '));
}
