import { constants, gzipSync } from 'node:zlib';

/** Who attacks: with a key, with one that only reads, in the dashboard, or without any of these. */
export type Principal = 'full' | 'read' | 'session' | 'nothing';

/** What an attacker knows of the service. */
export interface Scene {
  port: number;
  keys: { full: string; read: string };
  cookie: string;
  email: string;
  /** Of the attacker's account: a small listing, and one of 225 KB. */
  listingId: string;
  largeId: string;
  /** Of its last change before all attacks. */
  sequence: number;
}

/**
 * What is done with each request: its reply is read and then another one sent; it is read slowly, or not at all; the client
 * leaves before the reply; the rest of the body comes a byte at a time; requests are sent without waiting for replies.
 */
export type Manner = 'ask' | 'sip' | 'deaf' | 'leave' | 'trickle' | 'pour';

/** One request or pattern of the corpus. */
export interface Member {
  name: string;
  by: Principal;
  /** How many do it at a time. */
  lanes: number;
  manner: Manner;
  /** The bytes that are sent; `turn` counts from 0. */
  send(scene: Scene, turn: number): Buffer;
  /** Of each body. */
  unpackedBytes(turn: number): number;
  /** The code of an error that it must be told. */
  told?: string;
}

export interface Body {
  bytes: Buffer;
  unpackedBytes: number;
  type: string;
  isPacked?: boolean;
}

/** Made when it is first needed, and then kept, or made anew for each request. */
export type Draft = (turn: number) => Body;

export function kept(make: () => Body): Draft {
  let made: Body | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';
export const JSON_TYPE = 'application/json';

export function packed(type: string, text: string | Buffer): Body {
  return { bytes: gzipSync(text, { level: 9 }), unpackedBytes: Buffer.byteLength(text), type, isPacked: true };
}

/** The beginning of a file whose rest never comes. */
export function packedStart(type: string, text: string): Body {
  return { ...packed(type, text), bytes: gzipSync(text, { level: 9, finishFlush: constants.Z_SYNC_FLUSH }) };
}

export function plain(text: string | Buffer, type = JSON_TYPE): Body {
  const bytes = Buffer.from(text);
  return { bytes, unpackedBytes: bytes.length, type };
}

/** How a request differs from others of its kind. */
export interface More {
  lanes?: number;
  manner?: Manner;
  told?: string;
  headers?: (turn: number) => string[];
  /** What the head says that its body has, beyond what is sent at once. */
  missingBytes?: number;
}

/** A member that sends one kind of request. `path` is below the API that is its own: `/v1` for keys, `/admin` for sessions; else it is whole. */
export function request(
  [name, by]: readonly [name: string, by: Principal],
  method: string,
  path: string | ((scene: Scene, turn: number) => string),
  draft?: Draft,
  { lanes = 8, manner = 'ask', told, headers = () => [], missingBytes = 0 }: More = {},
): Member {
  return {
    ...{ name, by, lanes, manner },
    ...(told !== undefined && { told }),
    send(scene, turn) {
      const body = draft?.(turn);
      const target = BASES[by] + (typeof path === 'string' ? path : path(scene, turn));
      const lines = [`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${scene.port}`, ...credentialOf(by, scene)];
      if (body !== undefined) lines.push(...headersOf(body, missingBytes));
      return Buffer.concat([
        Buffer.from(`${[...lines, ...headers(turn)].join('\r\n')}\r\n\r\n`, 'latin1'),
        body?.bytes ?? Buffer.alloc(0),
      ]);
    },
    unpackedBytes: (turn) => draft?.(turn).unpackedBytes ?? 0,
  };
}

/** A member that sends bytes of its own making. */
export function raw(
  [name, by]: readonly [name: string, by: Principal],
  send: Member['send'],
  { lanes = 8, manner = 'ask' }: More = {},
): Member {
  return { name, by, lanes, manner, send, unpackedBytes: () => 0 };
}

const BASES: Record<Principal, string> = { full: '/v1', read: '/v1', session: '/admin', nothing: '' };

function credentialOf(by: Principal, { keys, cookie, port }: Scene): string[] {
  const origin = `Origin: http://127.0.0.1:${port}`;
  if (by === 'nothing') return [origin];
  return by === 'session' ? [origin, `Cookie: ${cookie}`] : [`Authorization: Bearer ${keys[by]}`];
}

function headersOf({ bytes, type, isPacked }: Body, missingBytes: number): string[] {
  const length = `Content-Length: ${bytes.length + missingBytes}`;
  return [`Content-Type: ${type}`, length, ...(isPacked ? ['Content-Encoding: gzip'] : [])];
}
