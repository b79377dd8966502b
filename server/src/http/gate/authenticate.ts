import type { IncomingMessage } from 'node:http';
import { type FullPrincipal, hasFullAccess, type Principal } from '../../domain/access/principals.ts';
import { type Authenticated, authenticate, type KeyRejection } from '../../domain/keys/api-keys.ts';
import type { KeyUse } from '../../domain/keys/key-use.ts';
import { createCounter } from '../../lib/metrics.ts';
import { isWellFormedSecret } from '../../model/api-keys.ts';
import { AppError, INVALID_KEY } from '../../model/errors.ts';
import type { KeyPrincipal } from '../../storage/api-keys.ts';
import type { Database } from '../../storage/database.ts';
import type { TrustedProxies } from '../protocol/client-address.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Admitted, Exchange } from '../protocol/exchange.ts';
import { Overloaded } from '../protocol/overload.ts';
import { countHeader } from '../protocol/raw-headers.ts';
import { CHALLENGE, challengeFor, UNREADABLE_KEY } from '../protocol/reply.ts';
import type { KeyGuessLimiter } from './key-guess-limiter.ts';
import { allowanceOf, type RateLimit } from './rate-limit.ts';

/** RFC 6750 §2.1; the scheme is case-insensitive (RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

const DESCRIPTIONS: Record<KeyRejection['why'], string> = {
  malformed: 'This is not an API key; its format or checksum is wrong, so copy it again',
  unknown: 'There is no such API key; it may have been deleted',
  expired: 'This API key has expired',
  suspended: "This API key's account is suspended: ",
};

const rejectedKeys = createCounter({
  name: 'property_listings_keys_rejected_total',
  help: 'Requests without a valid API key, by reason.',
  labels: ['reason'],
});

interface Authenticating {
  database: Database;
  keyGuesses: KeyGuessLimiter;
  trustedProxies: TrustedProxies;
  rateLimit: Pick<RateLimit, 'keyCount'>;
}

interface AdmittingKeys extends Authenticating {
  rateLimit: RateLimit;
  keyUse: Pick<KeyUse, 'countRequest'>;
}

/** @throws {AppError} `unauthorized`, `rate_limited`, or `unavailable` if too many of the account's requests wait */
export async function admitKey(exchange: Exchange, services: AdmittingKeys): Promise<Admitted<KeyPrincipal>> {
  const { database, keyUse, rateLimit } = services;
  const { principal, taken } = await requireApiKey(exchange, services);
  const admitted = Object.assign(exchange, { principal });
  if (database.isOverfull(principal.accountId)) throw new Overloaded();
  exchange.rateLimit = await rateLimit.spend(principal.keyId, taken, allowanceOf(principal));
  keyUse.countRequest(principal);
  return admitted;
}

/** @throws {AppError} `unauthorized`, with the reason in `WWW-Authenticate` */
async function requireApiKey(exchange: Exchange, services: Authenticating): Promise<Authenticated> {
  const { database, rateLimit } = services;
  const secret = readSecret(exchange);
  const found = secret === undefined ? undefined : await authenticate(database, secret, rateLimit.keyCount);
  if (found !== undefined && 'principal' in found) return found;
  rejectedKeys.add({ reason: found?.why ?? 'unreadable' });
  await limitGuessing(exchange, services);
  throw unauthorized(found === undefined ? UNREADABLE_KEY : describe(found));
}

function describe(rejection: KeyRejection): string {
  const words = DESCRIPTIONS[rejection.why];
  return rejection.why === 'suspended' ? words + toDescription(rejection.reason) : words;
}

/** RFC 6750 §3: an `error_description` is printable ASCII without quotation marks or backslashes. */
function toDescription(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('"', "'");
  return plain.replaceAll(/[^\x20-\x7e]|\\/gu, '?');
}

/**
 * Checks the key of a request that is about to be rejected for overload, without counting the
 * request. If the database is overloaded, a well-formed key is enough.
 * @throws {AppError} `unauthorized`
 */
export async function requireLikelyKey(exchange: Exchange, services: Authenticating): Promise<void> {
  const secret = readSecret(exchange);
  const isLikely = secret !== undefined && isWellFormedSecret(secret);
  if (isLikely && services.database.isOverfull()) return;
  await requireApiKey(exchange, { ...services, rateLimit: { keyCount: undefined } });
}

/** Returns undefined if the header is malformed or repeated. @throws {AppError} `unauthorized` if it is missing */
function readSecret({ incoming }: Exchange): string | undefined {
  const { authorization } = incoming.headers;
  if (authorization === undefined) {
    rejectedKeys.add({ reason: 'missing' });
    throw unauthorized();
  }
  const isOne = countHeader(incoming.rawHeaders, 'authorization') === 1;
  return isOne ? BEARER.exec(authorization)?.[1] : undefined;
}

/** Counts a rejected key. Above the limit, closes the connection unless another request has arrived on it. */
async function limitGuessing(
  { incoming, outgoing }: Exchange,
  { keyGuesses, trustedProxies }: Authenticating,
): Promise<void> {
  const isGuessing = await keyGuesses.countRejection(clientAddress(incoming, trustedProxies));
  if (isGuessing && isLatest(incoming)) outgoing.shouldKeepAlive = false;
}

/**
 * Whether this is the latest request on the connection. If another request has arrived after it, closing the
 * connection would lose the response to that request, which may have a valid key. Only the parser of
 * `node:http` knows whether another request has arrived.
 */
function isLatest(incoming: IncomingMessage): boolean {
  const parser: unknown = Reflect.get(incoming.socket, 'parser');
  return Reflect.get(Object(parser), 'incoming') === incoming;
}

function unauthorized(description?: string): AppError {
  const challenge = description === undefined ? CHALLENGE : challengeFor(description);
  return new AppError('unauthorized', INVALID_KEY, { headers: { 'WWW-Authenticate': challenge } });
}

/** @throws {AppError} `insufficient_scope` for a read-only key */
export function requireFullAccess(principal: Principal, purpose = 'change listings'): FullPrincipal {
  if (hasFullAccess(principal)) return principal;
  throw new AppError('insufficient_scope', `This key is read-only; use a key with full access to ${purpose}.`);
}
