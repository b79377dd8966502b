import { readTexts } from '../../texts.ts';

/** An API or page, with or without a key. */
export interface Target {
  name: string;
  lines: string;
  get: { path: string; status: number };
  post: { path: string; status: number };
  /** A header with a key that can write, even if the target does not need one. */
  keyLine: string;
}

export function targetsOf(key: string): Target[] {
  const keyLine = `Authorization: Bearer ${key}\r\n`;
  const at = (name: string, lines: string, path: string, getStatus: number, postStatus: number): Target => ({
    ...{ name, lines, keyLine },
    get: { path, status: getStatus },
    post: { path, status: postStatus },
  });
  return [
    { ...at('/v1 with a key', keyLine, '/v1/listings', 200, 201), get: { path: '/v1/me', status: 200 } },
    at('/v1 without a key', '', '/v1/listings', 401, 401),
    at('/admin without a session', '', '/admin/listings', 401, 403),
    at('/admin with a key', keyLine, '/admin/listings', 401, 403),
    at('the dashboard', '', '/', 200, 405),
    at('/livez', '', '/livez', 200, 405),
  ];
}

/** A request as bytes, and the possible statuses of its response. */
export interface Piece {
  bytes(target: Target): string;
  statuses(target: Target): readonly number[];
}

/**
 * The fate of the request after a stream. Unless it is `answered`, the connection closes: a request
 * that is `not done` must not run, because its start is ambiguous. One that is `not answered` can
 * run or not (RFC 9112 §9.6).
 */
type Next = 'answered' | 'not done' | 'not answered';

/** Bytes that are sent at once on one connection. */
export interface Stream {
  name: string;
  /** The section, of RFC 9112 unless stated, that requires the outcome. */
  rule: string;
  /** Requests, each with one response. */
  pieces: readonly Piece[];
  /** How many pieces are valid requests. */
  requests: number;
  next(target: Target): Next;
}

/** Occurs in the request id and the address. Each connection replaces it with a unique mark. */
export const MARK = 'mark-00000000';
/** The request id and the address of a request that must never run. */
export const SMUGGLED = 'smuggled';
export const BODY = `{"address":"${MARK}","beds":1,"baths":1}`;
export const LENGTH = `Content-Length: ${BODY.length}\r\n`;

const TEXTS = readTexts(new URL('texts.jsonl', import.meta.url));

/** Invalid or unusual values for one place in a request. */
export function textsOf(kind: 'coding' | 'length' | 'size' | 'path'): readonly string[] {
  return TEXTS.get(kind) ?? [];
}

interface Start {
  method?: string;
  path?: string;
  version?: string;
  host?: string;
}

/** A GET request without a body. `statuses` override the target's. */
export function get(lines = '', { statuses, ...start }: Start & Partial<Pick<Piece, 'statuses'>> = {}): Piece {
  return {
    bytes: (target) => `${headOf(target, { method: 'GET', path: target.get.path, ...start })}${lines}\r\n`,
    statuses: statuses ?? ((target) => [target.get.status]),
  };
}

/** A request that creates a listing where allowed. `lines` declare the body's length. */
export function post(lines = LENGTH, body: string | Piece['bytes'] = BODY, start: Start = {}): Piece {
  return {
    bytes(target) {
      const head = headOf(target, { method: 'POST', path: target.post.path, ...start });
      const content = typeof body === 'string' ? body : body(target);
      return `${head}Content-Type: application/json\r\n${lines}\r\n${content}`;
    },
    statuses: (target) => [target.post.status],
  };
}

export function bytes(text: string): Piece {
  return { bytes: () => text, statuses: () => [400] };
}

function headOf(
  { lines }: Target,
  { method, path, version = 'HTTP/1.1', host = `Host: localhost\r\n` }: Start,
): string {
  return `${method} ${path} ${version}\r\n${host}X-Request-Id: ${MARK}\r\n${lines}`;
}

/** A complete request that creates a listing, for places where it must not run. */
export function hidden({ keyLine }: Pick<Target, 'keyLine'>): string {
  const body = `{"address":"${SMUGGLED}","beds":1,"baths":1}`;
  const lines = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST /v1/listings HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${SMUGGLED}\r\n${keyLine}${lines}\r\n${body}`;
}

/** The service rejects the last piece and reads nothing after it. */
export function refused(name: string, rule: string, ...pieces: Piece[]): Stream {
  return refusedWith([400], name, rule, ...pieces);
}

export function refusedWith(refusals: readonly number[], name: string, rule: string, ...pieces: Piece[]): Stream {
  const last = pieces.length - 1;
  const told = pieces.map((piece, index) =>
    index < last ? piece : { ...piece, statuses: orRefusedAlready(piece, refusals) },
  );
  return { name, rule, pieces: told, requests: last, next: () => 'not done' };
}

/** The service can reject the key or the origin before it reads the body. */
function orRefusedAlready({ statuses }: Piece, refusals: readonly number[]): Piece['statuses'] {
  return (target) => [...refusals, ...statuses(target).filter((each) => each >= 400)];
}

export function accepted(name: string, rule: string, ...pieces: Piece[]): Stream {
  return { name, rule, pieces, requests: pieces.length, next: () => 'answered' };
}

/** All pieces are accepted, and the last one closes the connection. */
export function closing(name: string, rule: string, ...pieces: Piece[]): Stream {
  return { name, rule, pieces, requests: pieces.length, next: () => 'not done' };
}

/** `node:http` closes the connection after an expectation without a body. */
export function expecting(name: string, rule: string, piece: Piece, isAskedFor: (target: Target) => boolean): Stream {
  return { ...accepted(name, rule, piece), next: (target) => (isAskedFor(target) ? 'answered' : 'not answered') };
}
