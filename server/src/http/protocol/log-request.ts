import type { Principal } from '../../domain/principals.ts';
import type { Log } from '../../lib/log.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import type { Exchange } from './exchange.ts';

/** Logs one line when the reply is out: never a key, a query or a body. */
export function logRequest(exchange: Exchange, { logger, writeLine }: Log, trustedProxies: TrustedProxies): void {
  if (!logger.isLevelEnabled('info')) return;
  const startTimeMs = performance.now();
  // Before the connection is gone and its address with it.
  const address = clientAddress(exchange.incoming, trustedProxies);
  exchange.outgoing.on('close', () => writeLine(requestLine(exchange, address, performance.now() - startTimeMs)));
}

/**
 * The line in pino's own format, put together by hand: as every request pays for it, two microseconds count. Only the
 * path can hold characters that JSON would escape.
 */
function requestLine(
  { incoming, outgoing, requestId, path, principal, errorCode }: Exchange,
  address: string,
  durationMs: number,
): string {
  const who = principal === undefined ? '' : `"accountId":"${principal.accountId}",${nameOf(principal)},`;
  const error = errorCode === undefined ? '' : `"code":"${errorCode}",`;
  const ending = outgoing.writableFinished ? '' : '"aborted":true,';
  // Who left before the reply began was told nothing.
  const status = outgoing.headersSent ? outgoing.statusCode : null;
  const duration = Math.round(durationMs * 100) / 100;
  return (
    `{"level":30,"time":${Date.now()},"requestId":"${requestId}","method":"${incoming.method}",` +
    `"path":${JSON.stringify(withoutKeys(path))},"status":${status},"durationMs":${duration},"address":"${address}",` +
    `${who}${error}${ending}"msg":"request"}\n`
  );
}

/** The member of the line that says whose request it was. */
function nameOf(principal: Principal): string {
  return 'user' in principal ? `"userId":"${principal.user.userId}"` : `"keyId":"${principal.keyId}"`;
}

/**
 * A key that somebody put into an address must not lie in a log, however it is encoded there. The rest of the path stands there
 * as it was sent, unless that would show a part of the key.
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
/** By the byte of a hexadecimal digit. */
const HEX_VALUES = new Map(
  [...'0123456789abcdefABCDEF'].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);

/**
 * Decodes percent signs until none is left to decode, also what was encoded many times: `%2570` is `p`. In one pass, since
 * `%252525…` would take as many as it is long.
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
