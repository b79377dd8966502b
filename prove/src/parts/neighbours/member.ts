import { constants, gzipSync } from 'node:zlib';

/** The credential that the attacker uses. */
export type Principal = 'full' | 'read' | 'session' | 'nothing';

export interface Scene {
  port: number;
  keys: { full: string; read: string };
  cookie: string;
  /** The ids of two listings in the attacker's account: a small one, and one of 225 KB. */
  listingId: string;
  largeId: string;
  /** The sequence of the attacker's account before the first attack. */
  sequence: number;
}

/**
 * How an attacker behaves. `ask`: reads each response. `sip`: reads slowly. `deaf`: never reads. `leave`:
 * disconnects early. `trickle`: continues its request byte by byte. `pour`: does not wait for responses.
 */
type Manner = 'ask' | 'sip' | 'deaf' | 'leave' | 'trickle' | 'pour';

export interface Member {
  name: string;
  by: Principal;
  lanes: number;
  manner: Manner;
  /** Builds the bytes to send. `turn` counts from 0. */
  send(scene: Scene, turn: number): Buffer;
  /** The decompressed length of the body. */
  unpackedBytes(turn: number): number;
  /** An error code that the attacker must receive. */
  told?: string;
  /** An error code that the attacker must not receive. */
  untold?: string;
}

type Body = { bytes: Buffer; unpackedBytes: number; headers: readonly string[] };
type Text = string | Buffer;
/** Builds a body, either once on first use or for each request. */
type Draft = (turn: number) => Body;

export const json = (make: () => Text): Draft => kept(() => plain(make()));
export const freshJson =
  (make: (turn: number) => Text): Draft =>
  (turn) =>
    plain(make(turn));
export const csv = (make: () => Text): Draft => kept(() => packed('text/csv', make()));
export const ndjson = (make: () => Text): Draft => kept(() => packed('application/x-ndjson', make()));
export const array = (make: () => Text): Draft => kept(() => packed('application/json', make()));
/** The start of a file that never ends. */
export const ndjsonStart = (make: () => Text): Draft =>
  kept(() => packed('application/x-ndjson', make(), constants.Z_SYNC_FLUSH));

function kept(make: () => Body): Draft {
  let made: Body | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function packed(type: string, text: Text, finishFlush = constants.Z_FINISH): Body {
  const headers = [`Content-Type: ${type}`, 'Content-Encoding: gzip'];
  return { bytes: gzipSync(text, { level: 9, finishFlush }), unpackedBytes: Buffer.byteLength(text), headers };
}

function plain(text: Text): Body {
  const bytes = Buffer.from(text);
  return { bytes, unpackedBytes: bytes.length, headers: ['Content-Type: application/json'] };
}

interface More {
  lanes?: number;
  manner?: Manner;
  told?: string;
  untold?: string;
  headers?: () => readonly string[];
  /** How many bytes `Content-Length` declares in addition to those that are sent. */
  missingBytes?: number;
}

/** `line` is the method and the path below the principal's API, or the whole path without a credential. */
export type Row = readonly [
  name: string,
  line: string | ((scene: Scene, turn: number) => string),
  draft?: Draft | undefined,
  more?: More,
];

export function members(by: Principal, rows: readonly Row[]): Member[] {
  return rows.map((row) => toMember(by, row));
}

function toMember(by: Principal, [name, line, draft, more = {}]: Row): Member {
  const { headers = () => [], missingBytes = 0, ...how } = more;
  return {
    ...{ name, by, lanes: 8, manner: 'ask', ...how },
    send(scene, turn) {
      const [method, path] = (typeof line === 'string' ? line : line(scene, turn)).split(' ');
      const lines = [`${method} ${BASES[by]}${path} HTTP/1.1`, `Host: 127.0.0.1:${scene.port}`];
      const body = draft?.(turn);
      if (body !== undefined) lines.push(...body.headers, `Content-Length: ${body.bytes.length + missingBytes}`);
      const head = [...lines, ...credentialOf(by, scene), ...headers()].join('\r\n');
      return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body?.bytes ?? Buffer.alloc(0)]);
    },
    unpackedBytes: (turn) => draft?.(turn).unpackedBytes ?? 0,
  };
}

const BASES: Record<Principal, string> = { full: '/v1', read: '/v1', session: '/admin', nothing: '' };

function credentialOf(by: Principal, { keys, cookie, port }: Scene): string[] {
  const origin = `Origin: http://127.0.0.1:${port}`;
  if (by === 'nothing') return [origin];
  return by === 'session' ? [origin, `Cookie: ${cookie}`] : [`Authorization: Bearer ${keys[by]}`];
}

export const MEBIBYTE = 1024 * 1024;
const HEADER_BYTES = 15_000;

export function numbered(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, index) => `${text}${index}`);
}

export function objectOf(count: number, name: string): string {
  return `{${numbered(count, `"${name}`).join('":0,')}":0}`;
}

export function arrayOf(count: number, value: string): string {
  return `[${`${value},`.repeat(count - 1)}${value}]`;
}

/** Returns listings as NDJSON, one per line. */
export function rows(count: number, more: object = {}, externalIdOf?: (index: number) => string): string {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      ...{ address: `${index} Elm Street`, beds: 3, baths: 2 },
      ...(externalIdOf && { externalId: externalIdOf(index) }),
      ...more,
    }),
  );
  return lines.join('\n');
}

export function list(value: string): string {
  return `${value},`.repeat(HEADER_BYTES / (value.length + 1)).slice(0, -1);
}
