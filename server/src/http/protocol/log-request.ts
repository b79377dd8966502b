import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../domain/principals.ts';
import type { Log } from '../../lib/log.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import { isProbe } from './probes.ts';
import { findTraceContext } from './trace-context.ts';

/** The log line of a request that takes longer says where the time went. */
const SLOW_MS = 1_000;
const USER_AGENT_LENGTH_MAX = 200;

/**
 * Logs one line when the response is done, without any key, query, or body. Requests rejected
 * because too many are waiting share a line: see `RejectionCount`.
 */
export function logRequest(exchange: Exchange, log: Log, trustedProxies: TrustedProxies): void {
  if (!log.logger.isLevelEnabled('info') || (log.omitsProbes && isProbe(exchange))) return;
  const { incoming, outgoing } = exchange;
  // Read now, because a closed connection has no address.
  const address = clientAddress(incoming, trustedProxies);
  const { socket } = incoming;
  const sentBefore = socket.bytesWritten;
  outgoing.on('close', () => {
    if (exchange.isOverload) return;
    log.writeLine(requestLine(exchange, { address, bytes: socket.bytesWritten - sentBefore, worker: log.worker }));
  });
}

interface Sent {
  address: string;
  /** Bytes of the response. */
  bytes: number;
  worker: number | undefined;
}

/**
 * Writes pino's format without pino, which saves 2 µs per request. Only the path and the user agent
 * can contain characters that JSON escapes.
 */
function requestLine(exchange: Exchange, { address, bytes, worker }: Sent): string {
  const { incoming, outgoing, requestId, path, principal, errorCode } = exchange;
  const who = principal === undefined ? '' : `"accountId":"${principal.accountId}",${nameOf(principal)},`;
  const error = errorCode === undefined ? '' : `"code":"${errorCode}",`;
  const ending = outgoing.writableFinished ? '' : '"aborted":true,';
  const process = worker === undefined ? '' : `"worker":${worker},`;
  // Null if the client disconnected before the response.
  const status = outgoing.headersSent ? outgoing.statusCode : null;
  return (
    `{"level":30,"time":${Date.now()},"requestId":"${requestId}","method":"${incoming.method}",` +
    `"path":${JSON.stringify(withoutKeys(path))},"status":${status},${durations(exchange)}"bytes":${bytes},` +
    `"address":"${address}",${sender(incoming)}${process}${who}${error}${ending}"msg":"request"}\n`
  );
}

/** The duration and, for a slow request, its parts. */
function durations({ arrivedMs, startedMs, repliedMs }: Exchange): string {
  const nowMs = performance.now();
  const durationMs = nowMs - arrivedMs;
  const total = `"durationMs":${rounded(durationMs)},`;
  if (durationMs < SLOW_MS) return total;
  const started = startedMs ?? nowMs;
  const replied = repliedMs ?? nowMs;
  const parts = { waitMs: started - arrivedMs, handleMs: replied - started, sendMs: nowMs - replied };
  return (
    total +
    Object.entries(parts)
      .map(([name, partMs]) => `"${name}":${rounded(partMs)},`)
      .join('')
  );
}

function rounded(durationMs: number): number {
  return Math.round(durationMs * 100) / 100;
}

function sender({ headers }: IncomingMessage): string {
  const agent = headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX);
  const userAgent = agent === undefined ? '' : `"userAgent":${JSON.stringify(mask(agent))},`;
  const trace = findTraceContext(headers);
  if (trace === undefined) return userAgent;
  return `${userAgent}"traceId":"${trace.traceId}","parentSpanId":"${trace.parentSpanId}",`;
}

function nameOf(principal: Principal): string {
  return 'user' in principal ? `"userId":"${principal.user.userId}"` : `"keyId":"${principal.keyId}"`;
}

/**
 * Masks an API key in the path, however it is encoded. The rest of the path stays as sent, unless
 * that would reveal a part of the key.
 */
function withoutKeys(path: string): string {
  if (!path.includes('%')) return mask(path);
  const decoded = decodeWhole(path);
  if (!decoded.includes('plk_')) return path;
  const masked = mask(path);
  return decodeWhole(masked) === mask(decoded) ? masked : mask(decoded);
}

function mask(text: string): string {
  return text.includes('plk_') ? text.replaceAll(/plk_[0-9A-Za-z]+/g, 'plk_…') : text;
}

const PERCENT = '%'.charCodeAt(0);
/** Values of hexadecimal digits by their byte. */
const HEX_VALUES = new Map(
  [...'0123456789abcdefABCDEF'].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);

/**
 * Decodes nested percent-encoding (`%2570` is `p`) in one pass: with a pass for each level,
 * `%252525…` would take as many passes as it is long.
 */
function decodeWhole(path: string): string {
  const bytes = Buffer.from(path);
  let length = 0;
  for (const byte of bytes) {
    bytes[length] = byte;
    length += 1;
    while (length >= 3 && bytes[length - 3] === PERCENT) {
      const high = HEX_VALUES.get(bytes[length - 2] ?? 0);
      const low = HEX_VALUES.get(bytes[length - 1] ?? 0);
      if (high === undefined || low === undefined) break;
      length -= 2;
      bytes[length - 1] = high * 16 + low;
    }
  }
  return bytes.toString('utf8', 0, length);
}
