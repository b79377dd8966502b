import { type Components, refer } from './components.ts';

/** Headers that replies of many operations have, each described once. */
const REPLY_HEADERS: Record<string, { description: string; example: string }> = {
  'X-Request-Id': {
    description: "The request's name, also in the log: yours, if it was a usable one.",
    example: '5f0c3a52-8c1e-4c55-9d3a-2f6f0e9f5d11',
  },
  'RateLimit-Policy': {
    description: 'The key may send `q` requests in `w` seconds. Not there when nothing is limited.',
    example: '"default";q=600;w=10',
  },
  RateLimit: {
    description: 'The key has `r` requests left for the next `t` seconds. Not there when nothing is limited.',
    example: '"default";r=599;t=10',
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the reply to an earlier request with the same `Idempotency-Key`.',
    example: 'true',
  },
  'Retry-After': { description: 'Send the request again after so many seconds.', example: '1' },
  'WWW-Authenticate': {
    description: 'How to authenticate, and why the key was refused.',
    example: 'Bearer realm="property-listings", error="invalid_token", error_description="This API key has expired"',
  },
  'Set-Cookie': {
    description:
      'The cookie of the session, when it begins, is renewed or ends; until the second factor was given, one that says whose sign-in it is.',
    example: 'property-listings.session_token=…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
  },
  Allow: { description: 'The methods that the path takes.', example: 'GET, HEAD, POST' },
  'Accept-Patch': {
    description: 'The media types that a patch can have.',
    example: 'application/merge-patch+json, application/json',
  },
  'Accept-Encoding': {
    description: 'There if the body was compressed: the encodings that are taken here.',
    example: 'identity',
  },
};

/** The headers of a reply by name. */
export function describeHeaders(names: Iterable<string>, components: Components): Record<string, object> {
  return Object.fromEntries([...new Set(names)].map((name) => [name, describeHeader(name, components)]));
}

function describeHeader(name: string, components: Components): object {
  const described = REPLY_HEADERS[name];
  if (described === undefined) throw new Error(`The header ${name} is not described`);
  return refer(components, 'headers', name, { ...described, schema: { type: 'string' } });
}

/** A header that one reply alone has. */
export function ownHeader(description: string): object {
  return { description, schema: { type: 'string' } };
}
