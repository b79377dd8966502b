/** Who is asked, as whom. */
export interface Target {
  name: string;
  /** Headers that every request to it has. */
  lines: string;
  get: { path: string; status: number };
  post: { path: string; status: number };
  /** The header with a key that may write, whether requests to this target have it or not. */
  keyLine: string;
}

/** Bytes, and the status with which they are answered: one of these. */
export interface Piece {
  bytes(target: Target): string;
  statuses(target: Target): readonly number[];
}

/**
 * A request behind others is answered, or the connection is closed before: then it was not done, and must not be where
 * nobody knows where it begins. (RFC 9112 §9.6 leaves it open where the server alone has chosen to close.)
 */
type Next = 'answered' | 'not done' | 'not answered';

/** What is sent on one connection, in one go. */
export interface Stream {
  name: string;
  /** Where it stands what must come of it: a section of RFC 9112, unless it says otherwise. */
  rule: string;
  /** Each is answered once. */
  pieces: readonly Piece[];
  /** How many of the pieces are requests: what is refused is none. */
  requests: number;
  /** What comes of a request that stands behind them. */
  next(target: Target): Next;
}

/** Stands for what is another in each connection: in a request's id, and in a listing's address. */
export const MARK = 'mark-00000000';
/** In the id of a request that must never be one, and in the address of its listing. */
export const SMUGGLED = 'smuggled';
export const CRLF = '\r\n';
export const BODY = `{"address":"${MARK}","beds":1,"baths":1}`;
export const LENGTH = `Content-Length: ${BODY.length}${CRLF}`;

/** The beginning of a request as it usually is. */
interface Start {
  method?: string;
  path?: string;
  version?: string;
  host?: string;
}

/** A request without a body; `statuses` where they are not those of a GET. */
export function get(lines = '', { statuses, ...start }: Start & Partial<Pick<Piece, 'statuses'>> = {}): Piece {
  return {
    bytes: (target) => `${headOf(target, { method: 'GET', path: target.get.path, ...start })}${lines}${CRLF}`,
    statuses: statuses ?? ((target) => [target.get.status]),
  };
}

/** A request that creates a listing, where it is let; `lines` say how long its body is. */
export function post(lines = LENGTH, body: string | Piece['bytes'] = BODY, start: Start = {}): Piece {
  return {
    bytes(target) {
      const head = headOf(target, { method: 'POST', path: target.post.path, ...start });
      const content = typeof body === 'string' ? body : body(target);
      return `${head}Content-Type: application/json${CRLF}${lines}${CRLF}${content}`;
    },
    statuses: (target) => [target.post.status],
  };
}

/** Bytes that are the same wherever they are sent. */
export function bytes(text: string): Piece {
  return { bytes: () => text, statuses: () => [400] };
}

function headOf(
  { lines }: Target,
  { method, path, version = 'HTTP/1.1', host = `Host: localhost${CRLF}` }: Start,
): string {
  return `${method} ${path} ${version}${CRLF}${host}X-Request-Id: ${MARK}${CRLF}${lines}`;
}

/** A whole request that creates a listing with a good key: hidden where it must not be one. */
export function hidden({ keyLine }: Pick<Target, 'keyLine'>): string {
  const body = `{"address":"${SMUGGLED}","beds":1,"baths":1}`;
  const lines = `Content-Type: application/json${CRLF}Content-Length: ${body.length}${CRLF}`;
  return `POST /v1/listings HTTP/1.1${CRLF}Host: a${CRLF}X-Request-Id: ${SMUGGLED}${CRLF}${keyLine}${lines}${CRLF}${body}`;
}

/** The last piece is refused, and nothing behind it read. */
export function refused(name: string, rule: string, ...pieces: Piece[]): Stream {
  return refusedWith(400, name, rule, ...pieces);
}

export function refusedWith(status: number, name: string, rule: string, ...pieces: Piece[]): Stream {
  const last = pieces.length - 1;
  const told = pieces.map((piece, index) =>
    index < last ? piece : { ...piece, statuses: orRefusedAlready(piece, status) },
  );
  return { name, rule, pieces: told, requests: last, next: () => 'not done' };
}

/** Who is not let in is told so before the body is looked at. */
function orRefusedAlready({ statuses }: Piece, status: number): Piece['statuses'] {
  return (target) => [status, ...statuses(target).filter((each) => each >= 400)];
}

/** As many requests as pieces. */
export function accepted(name: string, rule: string, ...pieces: Piece[]): Stream {
  return { name, rule, pieces, requests: pieces.length, next: () => 'answered' };
}

/** Likewise, and the last one ends the connection. */
export function closing(name: string, rule: string, ...pieces: Piece[]): Stream {
  return { name, rule, pieces, requests: pieces.length, next: () => 'not done' };
}

/** `node:http` closes the connection behind a reply to an expectation if it has not asked for a body. */
export function expecting(name: string, rule: string, piece: Piece, isAskedFor: (target: Target) => boolean): Stream {
  return { ...accepted(name, rule, piece), next: (target) => (isAskedFor(target) ? 'answered' : 'not answered') };
}
