import { V1_BASE } from '../contract/paths.ts';
import { REQUEST_ID } from '../contract/request-headers.ts';
import { type ApiDescription, COMMON_ERRORS } from './api.ts';

const INTRODUCTION = `Create, find, and change the property listings of an account, and follow their changes.

**Authentication.** Every request carries an API key: \`Authorization: Bearer API_KEY\`. Create one
in the [dashboard](/settings/api) under Settings → API, or with \`npx property-listings keys create\`.
A key with \`read\` access cannot change anything.

**Responses.** Bodies are JSON in UTF-8, and times are UTC with milliseconds. A 2xx response to a
change means that the change is on disk. \`HEAD\` works wherever \`GET\` does. Lists, events, and import
reports are compressed if the request has \`Accept-Encoding\`. New fields, parameters, and codes can
be added; ignore those that you do not know.

**Errors** have one format: \`{"error":{"code","message","requestId","details"}}\`. \`code\` is for
programs and never changes its meaning, \`message\` says what to do, and \`details\` lists the invalid
fields. Each code has [its own page](/docs/errors), which the response's \`Link\` header points to.
An unsupported method gets 405 [\`method_not_allowed\`](/docs/errors/method_not_allowed), and \`Allow\`
lists the supported ones.

**Retries.** A change with an \`Idempotency-Key\` is safe to send again.

**Versions.** Each listing has a \`version\`, which is its \`ETag\`. \`If-Match\` prevents you from
overwriting other clients' changes, and \`If-None-Match\` avoids downloading a listing that you already
have. A 304 response does not count against the rate limit.
`;

export const V1_DESCRIPTION: ApiDescription = {
  base: V1_BASE,
  title: 'Property Listings API',
  introduction: INTRODUCTION,
  securitySchemes: {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `plk_` and 38 characters.' },
  },
  replyHeaders: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'],
  requestHeadersOf: () => [REQUEST_ID],
  errorsOf: ({ errors }) => [...COMMON_ERRORS, 'unauthorized', 'rate_limited', ...errors],
  errorExamples: {},
};
