import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Principal } from '../../domain/access/principals.ts';
import type { RequestLog } from '../../domain/requests/request-log.ts';
import type { Log } from '../../lib/log.ts';
import type { LoggedRequest } from '../../model/request-log.ts';
import type { KeyPrincipal } from '../../storage/api-keys.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { type Admitted, type Exchange, hasKey } from './exchange.ts';
import { maskKeys, withoutKeys, withoutSecrets, withoutSecretsInError } from './mask-secrets.ts';
import { isProbe } from './probes.ts';

/** The log line of a request that takes longer says where the time went. */
const SLOW_MS = 1_000;
const USER_AGENT_LENGTH_MAX = 200;

interface Logging {
  log: Log;
  /** Undefined while there is no database. */
  requestLog?: RequestLog;
  trustedProxies: TrustedProxies;
}

/**
 * Reads what is no longer available after the connection closes.
 * @returns a function to call when the response has ended, which logs one line without any key, query, or body, and
 * records requests with a key in the request log; undefined if nothing is logged
 */
export function logRequest(exchange: Exchange, { log, requestLog, trustedProxies }: Logging): (() => void) | undefined {
  const isLogged = log.logger.isLevelEnabled('info') && !(log.omitsProbes && isProbe(exchange));
  if (!isLogged && !requestLog?.isOn) return undefined;
  const { incoming } = exchange;
  const address = clientAddress(incoming, trustedProxies);
  const { socket } = incoming;
  const sentBefore = socket.bytesWritten;
  return () => {
    const at = Date.now();
    const bytes = socket.bytesWritten - sentBefore;
    if (isLogged && !exchange.isOverload)
      log.writeLine(requestLine(exchange, { at, address, bytes, worker: log.worker }));
    if (requestLog?.isOn && hasKey(exchange)) record(exchange, requestLog, at);
  };
}

function record(exchange: Admitted<KeyPrincipal>, requestLog: RequestLog, at: number): void {
  const { accountId, keyId } = exchange.principal;
  const { method = '' } = exchange.incoming;
  if (!requestLog.countInstead(keyId, method, statusOf(exchange), at))
    requestLog.record(accountId, toLogged(exchange, at));
}

function statusOf({ outgoing }: Exchange): number | null {
  return outgoing.headersSent ? outgoing.statusCode : null;
}

interface Sent {
  at: number;
  address: string;
  /** Bytes of the response. */
  bytes: number;
  worker: number | undefined;
}

/** Writes pino's format without pino, which saves 2 µs per request. Only paths and user agents can need escaping. */
function requestLine(exchange: Exchange, { at, address, bytes, worker }: Sent): string {
  const { incoming, outgoing, requestId, sentPath, principal, errorCode } = exchange;
  const who = principal === undefined ? '' : `"accountId":"${principal.accountId}",${nameOf(principal)},`;
  const error = errorCode === undefined ? '' : `"code":"${errorCode}",`;
  const ending = outgoing.writableFinished ? '' : '"aborted":true,';
  const process = worker === undefined ? '' : `"worker":${worker},`;
  return (
    `{"level":30,"time":${at},"requestId":"${requestId}","method":"${incoming.method}",` +
    `"path":${JSON.stringify(withoutKeys(sentPath))},"status":${statusOf(exchange)},${durations(exchange)}"bytes":${bytes},` +
    `"address":"${address}",${sender(incoming)}${process}${who}${error}${ending}"msg":"request"}\n`
  );
}

function durations({ arrivedMs, startedMs, repliedMs }: Exchange): string {
  const nowMs = performance.now();
  const durationMs = nowMs - arrivedMs;
  const total = `"durationMs":${rounded(durationMs)},`;
  if (durationMs < SLOW_MS) return total;
  const started = startedMs ?? nowMs;
  const replied = repliedMs ?? nowMs;
  const [waitMs, handleMs, sendMs] = [started - arrivedMs, replied - started, nowMs - replied];
  return `${total}"waitMs":${rounded(waitMs)},"handleMs":${rounded(handleMs)},"sendMs":${rounded(sendMs)},`;
}

function rounded(durationMs: number): number {
  return Math.round(durationMs * 100) / 100;
}

function sender({ headers }: IncomingMessage): string {
  const agent = headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX);
  const userAgent = agent === undefined ? '' : `"userAgent":${JSON.stringify(maskKeys(agent))},`;
  return userAgent + traceOf(headers);
}

/** W3C Trace Context, §3.2: version, trace id, and the id of the caller's span. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/;

/** The caller's trace. An invalid `traceparent` is ignored, as the standard requires. */
function traceOf({ traceparent }: IncomingHttpHeaders): string {
  if (typeof traceparent !== 'string') return '';
  const [, traceId, parentSpanId] = TRACEPARENT.exec(traceparent) ?? [];
  return traceId === undefined ? '' : `"traceId":"${traceId}","parentSpanId":"${parentSpanId}",`;
}

function nameOf(principal: Principal): string {
  return 'user' in principal ? `"userId":"${principal.user.userId}"` : `"keyId":"${principal.keyId}"`;
}

/** Maximum lengths of paths, queries, and error bodies in the request log. Longer ones are cut. */
const LOGGED_LENGTH_MAX = 2_048;
const ERROR_LENGTH_MAX = 4_096;

function toLogged(exchange: Admitted<KeyPrincipal>, at: number): LoggedRequest {
  const { incoming, requestId, sentPath, query, principal, errorCode, errorBody, sequence } = exchange;
  return {
    at,
    keyId: principal.keyId,
    method: incoming.method ?? '',
    status: statusOf(exchange),
    path: cut(withoutKeys(sentPath), LOGGED_LENGTH_MAX),
    query: query === '' ? '' : cut(withoutSecrets(query), LOGGED_LENGTH_MAX),
    code: errorCode ?? null,
    durationMs: rounded(performance.now() - exchange.arrivedMs),
    requestId,
    sequence: sequence ?? null,
    errorBody: errorBody === undefined ? null : cut(withoutSecretsInError(errorBody), ERROR_LENGTH_MAX),
  };
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}
