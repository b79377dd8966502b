import { constants, gzipSync } from 'node:zlib';

/** The attacker's credential. */
export type Principal = 'full' | 'read' | 'session' | 'nothing';

export interface Scene {
  port: number;
  keys: { full: string; read: string };
  cookie: string;
  /** Of the attacker's account: a small listing, and one of 225 KB. */
  listingId: string;
  largeId: string;
  /** Before all attacks. */
  sequence: number;
}

/** Reads each response; reads slowly; never reads; leaves early; sends the rest byte by byte; does not wait. */
type Manner = 'ask' | 'sip' | 'deaf' | 'leave' | 'trickle' | 'pour';

export interface Member {
  name: string;
  by: Principal;
  lanes: number;
  manner: Manner;
  /** `turn` counts from 0. */
  send(scene: Scene, turn: number): Buffer;
  /** Of each body. */
  unpackedBytes(turn: number): number;
  /** An error code that the attacker must get. */
  told?: string;
  /** An error code that it must not get. */
  untold?: string;
}

interface Body {
  bytes: Buffer;
  unpackedBytes: number;
  headers: readonly string[];
}

type Text = string | Buffer;

/** Built once on first use, or anew for each request. */
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

/** Options of a request. */
interface More {
  lanes?: number;
  manner?: Manner;
  told?: string;
  untold?: string;
  headers?: () => readonly string[];
  /** Announced in `Content-Length`, but not sent. */
  missingBytes?: number;
}

/** `line` is method and path below the principal's API; without a credential, the whole path. */
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
  const { told, untold, headers = () => [], missingBytes = 0 } = more;
  return {
    name,
    by,
    lanes: more.lanes ?? 8,
    manner: more.manner ?? 'ask',
    ...(told !== undefined && { told }),
    ...(untold !== undefined && { untold }),
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
