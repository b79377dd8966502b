import { readTexts } from '../../texts.ts';

/** An API or a page to send requests to, with or without a key. */
export interface Target {
  name: string;
  lines: string;
  get: { path: string; status: number };
  post: { path: string; status: number };
  /** A header line with a key that can write, even if the target does not need one. */
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
 * What happens to the request that follows a stream. It is `answered`, or the connection closes. A request
 * that is `not done` must not run, because it is ambiguous where it starts, or because the service must close the
 * connection after the stream. A request that is `not answered` may or may not run (RFC 9112 §9.6).
 */
type Next = 'answered' | 'not done' | 'not answered';

/** Bytes that are sent at once on one connection. */
export interface Stream {
  name: string;
  /** The section that requires the outcome. It is in RFC 9112 unless another document is named. */
  rule: string;
  /** The requests in the stream. Each gets one response. */
  pieces: readonly Piece[];
  /** How many pieces are valid requests. */
  requests: number;
  next(target: Target): Next;
}

/** Occurs in the request id and the address. For each connection, it is replaced with a unique mark. */
export const MARK = 'mark-00000000';
/** The request id and the address of a request that must never run. */
export const SMUGGLED = 'smuggled';
export const BODY = `{"address":"${MARK}","beds":1,"baths":1}`;
export const LENGTH = `Content-Length: ${BODY.length}\r\n`;

const TEXTS = readTexts(new URL('texts.jsonl', import.meta.url));

/** Returns invalid or unusual values for one place in a request. */
export function textsOf(kind: 'coding' | 'length' | 'size' | 'path'): readonly string[] {
  return TEXTS.get(kind) ?? [];
}

type Start = Partial<Record<'method' | 'path' | 'version' | 'host', string>>;

/** Creates a GET request without a body. `statuses` replaces the target's expected statuses. */
export function get(lines = '', { statuses, ...start }: Start & Partial<Pick<Piece, 'statuses'>> = {}): Piece {
  return {
    bytes: (target) => `${headOf(target, { method: 'GET', path: target.get.path, ...start })}${lines}\r\n`,
    statuses: statuses ?? ((target) => [target.get.status]),
  };
}

/** Creates a listing if the target allows that. `lines` must declare the body's length. */
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

/** Returns a complete request that creates a listing. It is hidden in places where it must not run. */
export function hidden({ keyLine }: Pick<Target, 'keyLine'>): string {
  const body = `{"address":"${SMUGGLED}","beds":1,"baths":1}`;
  const lines = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST /v1/listings HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${SMUGGLED}\r\n${keyLine}${lines}\r\n${body}`;
}

/** A stream whose last piece the service must reject, without reading anything after it. */
export function refused(name: string, rule: string, ...pieces: Piece[]): Stream {
  return refusedWith([400], name, rule, ...pieces);
}

export function refusedWith(refusals: readonly number[], name: string, rule: string, ...pieces: Piece[]): Stream {
  const last = pieces.length - 1;
  // The key or the origin can be rejected before the body is read.
  const refuse = ({ bytes, statuses }: Piece): Piece => {
    return { bytes, statuses: (target) => [...refusals, ...statuses(target).filter((each) => each >= 400)] };
  };
  const told = pieces.map((piece, index) => (index < last ? piece : refuse(piece)));
  return { name, rule, pieces: told, requests: last, next: () => 'not done' };
}

export function accepted(name: string, rule: string, ...pieces: Piece[]): Stream {
  return { name, rule, pieces, requests: pieces.length, next: () => 'answered' };
}

/** A stream whose pieces are all accepted, and whose last piece closes the connection. */
export function closing(name: string, rule: string, ...pieces: Piece[]): Stream {
  return { name, rule, pieces, requests: pieces.length, next: () => 'not done' };
}

/** A request with an expectation. `node:http` closes the connection after an expectation without a body. */
export function expecting(name: string, rule: string, piece: Piece, isAskedFor: (target: Target) => boolean): Stream {
  return { ...accepted(name, rule, piece), next: (target) => (isAskedFor(target) ? 'answered' : 'not answered') };
}
