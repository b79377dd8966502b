import type { ErrorCode } from '../../model/errors.ts';
import { V1_BASE } from '../contract/paths.ts';
import { REQUEST_ID } from '../contract/request-headers.ts';
import type { ApiDescription } from './api.ts';

const INTRODUCTION = `The property listings of an account: create them, find them, change them, follow what changes.

**Key.** Every request carries an API key: \`Authorization: Bearer API_KEY\`. It is made in the
[dashboard](/settings/api) under Settings → API, or with \`npx property-listings keys create\`. A key with the access \`read\` changes nothing.

**Replies.** Bodies are JSON in UTF-8, times are UTC with milliseconds. A reply of 2xx to a change means that it is on disk.
\`HEAD\` works wherever \`GET\` does. Lists, events and reports of imports are compressed for those who send
\`Accept-Encoding\`. New fields, parameters and codes may be added: pass over what you do not know.

**Errors** have one shape: \`{"error":{"code","message","requestId","details"}}\`. \`code\` is for programs and never changes its
meaning, \`message\` says what to do, and \`details\` names every field at fault. Each code has
[a page of its own](/docs/errors), which the header \`Link\` of the reply names. A method that a path does not take is 405
[\`method_not_allowed\`](/docs/errors/method_not_allowed), and \`Allow\` has those that it takes.

**Retries.** A request that changes something can be sent again without harm if it carries an \`Idempotency-Key\`.

**Versions.** Each listing has a \`version\`, which is its \`ETag\`. \`If-Match\` changes only what nobody else has changed since;
\`If-None-Match\` saves reading what you have. A 304 does not count against the rate limit.
`;

/** What every operation can answer. */
const COMMON_ERRORS: ErrorCode[] = [
  'unknown_parameter',
  'unauthorized',
  'not_acceptable',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
];

/** What programs use, with an API key. */
export const V1_DESCRIPTION: ApiDescription = {
  base: V1_BASE,
  title: 'Property Listings API',
  introduction: INTRODUCTION,
  securitySchemes: {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `plk_` and 38 characters.' },
  },
  replyHeaders: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'],
  requestHeadersOf: () => [REQUEST_ID],
  errorsOf: ({ errors }) => [...COMMON_ERRORS, ...errors],
  errorExamples: {},
};
