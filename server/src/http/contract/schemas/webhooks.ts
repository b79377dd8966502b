import { z } from 'zod';
import { EVENT_TYPES } from '../../../model/listings.ts';
import { DELIVERY_STATES, WEBHOOK_URL_LENGTH_MAX } from '../../../model/webhooks.ts';
import {
  addIssue,
  choice,
  count,
  expected,
  findTextIssue,
  inputObject,
  integer,
  matching,
  namedObject,
  text,
  time,
} from './fields.ts';
import { FEED_NAME } from './listings.ts';

/** Well-known services other than HTTP use ports below this one. */
const PORT_MIN = 1024;
const HTTP_PORTS = new Set(['', '80', '443']);

/** A normalized URL: an IPv4 address in any notation becomes dotted decimal. */
const url = z
  .string(expected('a string'))
  .transform((given, context) => {
    const trimmed = given.trim();
    const issue = findTextIssue(trimmed, WEBHOOK_URL_LENGTH_MAX, false);
    if (issue !== undefined) return addIssue(context, issue.code, issue.message);
    const parsed = URL.parse(trimmed);
    const message = parsed === null ? 'Must be a URL such as https://example.com/webhooks.' : findUrlIssue(parsed);
    if (parsed === null || message !== undefined) return addIssue(context, 'invalid_format', message ?? '');
    if (parsed.href.length > WEBHOOK_URL_LENGTH_MAX) {
      return addIssue(context, 'too_long', `Must have at most ${WEBHOOK_URL_LENGTH_MAX} characters when encoded.`);
    }
    return parsed.href;
  })
  .meta({
    format: 'uri',
    minLength: 1,
    maxLength: WEBHOOK_URL_LENGTH_MAX,
    description:
      'Begins with `https://` and has neither a user name nor a fragment. Its port is 443, 80, or at least 1024, and ' +
      'its host name must resolve to public addresses each time that the service connects. The operator can allow ' +
      'other networks, also with `http://`.',
    example: 'https://example.com/webhooks',
  });

function findUrlIssue({ protocol, username, password, hash, port, hostname }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'Must begin with https://.';
  if (username !== '' || password !== '') return 'Must not have a user name or a password.';
  if (hash !== '') return 'Must not have a fragment (the part after #).';
  if (hostname.endsWith('..')) return 'Must have a valid host name.';
  return HTTP_PORTS.has(port) || Number(port) >= PORT_MIN
    ? undefined
    : 'Must use port 443, port 80, or a port of at least 1024.';
}

const types = z
  .array(choice(EVENT_TYPES, 'A type of event.'), expected('an array'))
  .transform((given, context) => {
    if (given.length === 0)
      return addIssue(context, 'out_of_range', 'Must name at least one type; omit `types` for all types.');
    if (new Set(given).size < given.length) return addIssue(context, 'duplicate', 'Must name each type only once.');
    return given;
  })
  .meta({ minItems: 1, uniqueItems: true, description: 'The types of events to send; null or absent for all.' });

const feed = matching(
  FEED_NAME,
  'Must be the name of a feed: 1 to 64 characters from a-z, 0-9, -, and _, beginning with a letter or digit.',
  { description: "Send only events for this feed's listings; null or absent for all events." },
);

const description = text({ lengthMax: 200, description: 'What the endpoint is for.', example: 'Website' });
const enabled = z
  .boolean(expected('true or false'))
  .describe(
    'Whether events are sent. An endpoint that is enabled again continues from its position, and its pending ' +
      'deliveries are sent immediately.',
  );

export const newWebhook = inputObject('NewWebhook', {
  url,
  types: types.nullable().optional(),
  feed: feed.nullable().optional(),
  description: description.nullable().optional(),
  enabled: enabled.nullable().optional(),
});

export const webhookPatch = newWebhook
  .extend({ url: url.optional(), enabled: enabled.optional() })
  .meta({ id: 'WebhookPatch' });

export const replayInput = inputObject('WebhookReplay', {
  after: integer(0, Number.MAX_SAFE_INTEGER, 'The sequence after which to send all events again.'),
});

export const webhook = namedObject('Webhook', {
  id: z.string(),
  url: z.string(),
  types: z.array(z.enum(EVENT_TYPES)).nullable(),
  feed: z.string().nullable(),
  description: z.string().nullable(),
  enabled: z.boolean(),
  position: count('Every event up to this sequence is delivered, failed, expired, filtered out, or pending.'),
  pending: count('Number of deliveries that are waiting for their next attempt.'),
  failingSince: time().nullable().describe('When the endpoint began to fail; null after a success.'),
  disabledAt: time()
    .nullable()
    .describe('When the service disabled the endpoint because every attempt had failed for five days.'),
  oldSecretExpiresAt: time().nullable().describe('When the previous secret expires after a roll.'),
  createdAt: time(),
  updatedAt: time(),
});

export const webhookWithSecret = webhook
  .extend({ secret: z.string().describe('The signing secret (Standard Webhooks); shown only here.') })
  .meta({ id: 'WebhookWithSecret' });

const attempt = {
  status: z.int().nullable().describe('The status of the last response; null if there was none.'),
  durationMs: z.int().nullable().describe('How long the last attempt took, in milliseconds.'),
  response: z.string().nullable().describe('The first KiB of the last response, as a string.'),
  error: z.string().nullable().describe('Why there was no response.'),
};

export const webhookTest = namedObject('WebhookTest', {
  id: z.string(),
  delivered: z.boolean().describe('Whether the status is 2xx.'),
  ...attempt,
});

export const delivery = namedObject('WebhookDelivery', {
  id: z.string().describe('The `webhook-id`, which is the same in every attempt.'),
  state: z
    .enum(DELIVERY_STATES)
    .describe(
      '`pending`: waits for its next attempt. `failed`: has used all attempts. `expired`: stands for the events ' +
        'from `sequence` to `lastSequence`, which were removed before they were sent.',
    ),
  sequence: z.int().meta({ minimum: 1 }),
  lastSequence: z.int().meta({ minimum: 1, description: 'Equals `sequence` except for expired events.' }),
  epoch: z.string(),
  type: z.enum(EVENT_TYPES).nullable(),
  listingId: z.string().nullable(),
  attempts: count(
    'Number of attempts; 0 before the first attempt, such as while an earlier event of the listing waits. After ' +
      'the second attempt, attempts that fail during an outage of the endpoint or before their scheduled time are ' +
      'not counted.',
  ),
  nextAttemptAt: time().nullable(),
  lastAttemptAt: time().nullable(),
  ...attempt,
});
