import { type Components, refer } from './components.ts';

/** Headers in the responses of many operations. */
const REPLY_HEADERS: Record<string, { description: string; example: string }> = {
  'X-Request-Id': {
    description: 'The request id, which is also in the log. It is the `X-Request-Id` that you sent, if that is valid.',
    example: '5f0c3a52-8c1e-4c55-9d3a-2f6f0e9f5d11',
  },
  'RateLimit-Policy': {
    description: 'The key can send `q` requests in `w` seconds. Absent if there is no rate limit.',
    example: '"default";q=600;w=10',
  },
  RateLimit: {
    description: 'The key has `r` requests left for the next `t` seconds. Absent if there is no rate limit.',
    example: '"default";r=599;t=10',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the response to an earlier request with the same `Idempotency-Key`.',
    example: 'true',
  },
  'Retry-After': { description: 'The number of seconds to wait before the next attempt.', example: '1' },
  'WWW-Authenticate': {
    description: 'How to authenticate, and why the key was rejected.',
    example: 'Bearer realm="property-listings", error="invalid_token", error_description="This API key has expired"',
  },
  'Set-Cookie': {
    description:
      'The session cookie, sent when a session starts, is extended, or ends; until the second factor is verified, ' +
      'the cookie of the pending sign-in; for a passkey, the cookie that identifies the challenge.',
    example: 'property-listings.session_token=…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
  },
  Allow: { description: 'The methods that the path supports.', example: 'GET, HEAD, POST' },
  'Accept-Patch': {
    description: 'The media types accepted for a patch.',
    example: 'application/merge-patch+json, application/json',
  },
  'Accept-Encoding': {
    description: 'The supported content encodings; sent if the encoding of the body is not supported.',
    example: 'identity',
  },
};

export function describeHeaders(names: Iterable<string>, components: Components): Record<string, object> {
  return Object.fromEntries([...new Set(names)].map((name) => [name, describeHeader(name, components)]));
}

function describeHeader(name: string, components: Components): object {
  const described = REPLY_HEADERS[name];
  if (described === undefined) throw new Error(`The header ${name} is not described`);
  return refer(components, 'headers', name, { ...described, schema: { type: 'string' } });
}

export function ownHeader(description: string): object {
  return { description, schema: { type: 'string' } };
}
