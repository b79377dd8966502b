import type { ErrorCode } from '../../../model/errors.ts';
import { TEST_TYPE, WEBHOOKS_MAX } from '../../../model/webhooks.ts';
import type { ErrorExample } from '../errors/entry.ts';
import { operation } from '../operation.ts';
import { IDEMPOTENCY_KEY } from '../request-headers.ts';
import { newWebhook, replayInput, webhook, webhookPatch, webhookTest, webhookWithSecret } from '../schemas/webhooks.ts';
import { CHANGE_ERRORS, INPUT_ERRORS, invalid, jsonBody, listReply, okReply, PATCH_TYPES } from './common.ts';

/** Examples of errors that differ for webhooks. */
export const EXAMPLES: Partial<Record<ErrorCode, ErrorExample>> = {
  not_found: { message: 'There is no webhook endpoint with this id in the account.' },
  insufficient_scope: { message: 'This key is read-only; use a key with full access to manage webhooks.' },
  validation_failed: invalid({ field: 'url', code: 'invalid_format', message: 'Must begin with https://.' }),
};

const BODY_ERRORS: ErrorCode[] = [...new Set([...CHANGE_ERRORS, ...INPUT_ERRORS])];

const shown = {
  id: 'whk_01kt3vb2d4f6h8j0k1m3n5p7q9',
  url: 'https://example.com/webhooks',
  types: null,
  feed: null,
  description: 'Website',
  enabled: true,
  position: 1,
  pending: 0,
  failingSince: null,
  disabledAt: null,
  oldSecretExpiresAt: null,
  createdAt: '2026-01-31T09:35:00.000Z',
  updatedAt: '2026-01-31T09:35:00.000Z',
};
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const path = '/webhooks/{webhookId}';
const ACCESS = 'Webhooks require a key with full access.';

export const listWebhooksOperation = operation('full', 'get', '/webhooks', {
  operationId: 'listWebhooks',
  summary: 'List the webhook endpoints',
  description: `All webhook endpoints of the account, oldest first. ${ACCESS}`,
  replies: [listReply('The endpoints.', 'WebhookList', webhook, shown)],
  errors: ['insufficient_scope'],
  errorExamples: EXAMPLES,
});

export const createWebhookOperation = operation('full', 'post', '/webhooks', {
  operationId: 'createWebhook',
  summary: 'Create a webhook endpoint',
  description:
    'Every event that matches the filters and occurs after the endpoint is created is sent to its URL at least once. ' +
    'Requests are signed as specified by [Standard Webhooks](https://www.standardwebhooks.com), and the events of a ' +
    'listing are sent in order. ' +
    'A failed delivery is retried for about 27 hours. If the endpoint accepts no deliveries at all, the service ' +
    'retries them until it disables the endpoint after five days, and resumes when you enable the endpoint again. ' +
    'Only this response shows the signing secret. A repeated request with the same `Idempotency-Key` gets the ' +
    "endpoint's current state, or 404 if the endpoint has been deleted. An account can have " +
    `${WEBHOOKS_MAX} endpoints. ${ACCESS}`,
  requestHeaders: [IDEMPOTENCY_KEY],
  body: jsonBody(newWebhook, { url: 'https://example.com/webhooks', description: 'Website' }),
  replies: [
    {
      status: 201,
      description: 'The endpoint and its signing secret.',
      schema: webhookWithSecret,
      example: { ...shown, secret },
      headers: { Location: 'The path of the endpoint.' },
    },
  ],
  errors: [...BODY_ERRORS, 'not_found', 'quota_exceeded'],
  errorExamples: {
    ...EXAMPLES,
    not_found: { message: 'The endpoint that this request created has been deleted.' },
    quota_exceeded: {
      message: `The account has ${WEBHOOKS_MAX} webhook endpoints, which is the maximum; delete one first.`,
      members: { quota: 'webhooks', limit: WEBHOOKS_MAX },
    },
  },
});

export const retrieveWebhookOperation = operation('full', 'get', path, {
  operationId: 'retrieveWebhook',
  summary: 'Retrieve a webhook endpoint',
  description: `One webhook endpoint of the account. ${ACCESS}`,
  replies: [okReply('The endpoint.', webhook, shown)],
  errors: ['insufficient_scope', 'not_found'],
  errorExamples: EXAMPLES,
});

export const updateWebhookOperation = operation('full', 'patch', path, {
  operationId: 'updateWebhook',
  summary: 'Change a webhook endpoint',
  description:
    'A merge patch (RFC 7396). Changed filters apply to events after `position`. An endpoint that is enabled again ' +
    'continues from its position; events that were removed in the meantime are reported as an `expired` delivery.',
  requestHeaders: [IDEMPOTENCY_KEY],
  body: { types: PATCH_TYPES, schema: webhookPatch, example: { types: ['listing.created', 'listing.deleted'] } },
  replies: [
    okReply('The changed endpoint.', webhook, {
      ...shown,
      types: ['listing.created', 'listing.deleted'],
      updatedAt: '2026-02-03T14:05:00.000Z',
    }),
  ],
  errors: [...BODY_ERRORS, 'not_found'],
  errorExamples: EXAMPLES,
});

export const deleteWebhookOperation = operation('full', 'delete', path, {
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook endpoint',
  description: 'Stops sending events to the endpoint, and removes its deliveries.',
  requestHeaders: [IDEMPOTENCY_KEY],
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: [...CHANGE_ERRORS, 'not_found'],
  errorExamples: EXAMPLES,
});

export const rollSecretOperation = operation('full', 'post', `${path}/roll-secret`, {
  operationId: 'rollWebhookSecret',
  summary: 'Roll the signing secret',
  description:
    'Generates a new signing secret, which only this response shows. For 24 hours, the service signs with both ' +
    'secrets, and `webhook-signature` contains two signatures, separated by a space.',
  requestHeaders: [IDEMPOTENCY_KEY],
  replies: [
    okReply('The endpoint and its new signing secret.', webhookWithSecret, {
      ...shown,
      oldSecretExpiresAt: '2026-02-04T14:05:00.000Z',
      updatedAt: '2026-02-03T14:05:00.000Z',
      secret,
    }),
  ],
  errors: [...CHANGE_ERRORS, 'not_found'],
  errorExamples: EXAMPLES,
});

export const testWebhookOperation = operation('full', 'post', `${path}/test`, {
  operationId: 'testWebhook',
  summary: 'Send a sample to a webhook endpoint',
  description:
    `Sends one signed request with the type \`${TEST_TYPE}\` and the \`webhookId\` as data, waits at most 10 seconds ` +
    'for its response, and returns the response. The sample is not retried and is not a delivery.',
  replies: [
    okReply('The result, even if the endpoint failed.', webhookTest, {
      id: 'msg_01kt3vb2d4f6h8j0k1m3n5p7q9_7k2m9q4x_test3f6h8j0k1m5n',
      delivered: true,
      status: 204,
      durationMs: 87,
      response: '',
      error: null,
    }),
  ],
  errors: ['insufficient_scope', 'not_found'],
  errorExamples: EXAMPLES,
});

export const replayOperation = operation('full', 'post', `${path}/replay`, {
  operationId: 'replayWebhook',
  summary: 'Send events again',
  description:
    'Moves the endpoint to a sequence: all later events are sent again, with the same `webhook-id` as before. ' +
    'Pending deliveries of later events start over. A sequence after `position` skips the events in between.',
  requestHeaders: [IDEMPOTENCY_KEY],
  body: jsonBody(replayInput, { after: 0 }),
  replies: [
    okReply('The endpoint at its new position.', webhook, {
      ...shown,
      position: 0,
      updatedAt: '2026-02-03T14:05:00.000Z',
    }),
  ],
  errors: [...BODY_ERRORS, 'not_found', 'events_expired'],
  errorExamples: {
    ...EXAMPLES,
    validation_failed: invalid({ field: 'after', code: 'required', message: 'Is required: a number.' }),
    events_expired: {
      message: "The sequence is greater than the account's current sequence, which is 1. Nothing was changed.",
    },
  },
});
