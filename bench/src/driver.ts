import { createHistogram } from 'node:perf_hooks';
import { type Connection, type Exchange, type Expected, openConnection } from './connection.ts';

export type Load = {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
};

export type Drive = {
  port: number;
  connections: number;
  next: () => Exchange | undefined;
  /** How long requests are sent. Then the pending responses are awaited. */
  seconds: number;
  /** Requests per second on all connections. Default: a connection sends the next request when a response arrives. */
  perSecond?: number;
};

/** The run fails if no connection receives a response between two checks at this interval. */
const REPLY_TIMEOUT_MS = 30_000;
const NANOSECONDS_PER_MS = 1e6;

/**
 * Keeps at most one request in flight per connection until the time or the exchanges run out, and checks every
 * response. Latency counts from the write, or from the due time if the connection was still busy.
 * @throws on the first unexpected response, on a lost connection, and after 30 to 60 s without any response
 */
export function drive({ port, connections, next, seconds, perSecond }: Drive): Promise<Load> {
  const latencyNs = createHistogram();
  const open: Connection[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Load>();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const periodMs = perSecond === undefined ? 0 : (connections * 1000) / perSecond;
  let requests = 0;
  let busy = connections;

  function finish(): void {
    clearInterval(watchdog);
    for (const connection of open) connection.close();
  }

  function fail(reason: string): void {
    finish();
    reject(new Error(reason));
  }

  function endOne(): void {
    busy -= 1;
    if (busy > 0) return;
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    finish();
    resolve({
      requests,
      requestsPerSecond: requests / elapsedSeconds,
      p50Ms: latencyNs.percentile(50) / NANOSECONDS_PER_MS,
      p99Ms: latencyNs.percentile(99) / NANOSECONDS_PER_MS,
    });
  }

  function startOne(index: number): void {
    let exchange: Exchange | undefined;
    let sentAt = 0;
    let dueAt = startedAt + (periodMs * index) / connections;

    function sendNext(now: number): void {
      // Count from the time when the timer fires, because a late timer is not the server's fault.
      if (now < dueAt) setTimeout(() => send(performance.now()), dueAt - now);
      else send(now, periodMs === 0 ? now : dueAt);
    }

    function send(now: number, countedFrom = now): void {
      exchange = now < endsAt ? next() : undefined;
      sentAt = countedFrom;
      dueAt += periodMs;
      if (exchange === undefined) endOne();
      else connection.send(exchange.request);
    }

    const connection = openConnection(
      port,
      () => sendNext(performance.now()),
      (status, body) => {
        const now = performance.now();
        const fault = exchange === undefined ? 'an unexpected response' : findFault(exchange, status, body);
        if (fault !== undefined) {
          fail(fault);
          return;
        }
        // A histogram rejects zero.
        latencyNs.record(Math.max(1, Math.round((now - sentAt) * NANOSECONDS_PER_MS)));
        requests += 1;
        sendNext(now);
      },
      fail,
    );
    open.push(connection);
  }

  let seen = -1;
  const watchdog = setInterval(() => {
    if (requests === seen) fail(`no response for ${REPLY_TIMEOUT_MS / 1000} s`);
    seen = requests;
  }, REPLY_TIMEOUT_MS);
  for (let index = 0; index < connections; index += 1) startOne(index);
  return promise;
}

function findFault({ request, expected }: Exchange, status: number, body: Buffer): string | undefined {
  if (status === expected.status && isExpected(expected, body)) return undefined;
  const [requestLine] = request.toString('utf8').split('\r\n', 1);
  return `${requestLine}: expected ${describe(expected)}, got ${status} with ${shorten(body)}`;
}

function isExpected(expected: Expected, body: Buffer): boolean {
  if ('body' in expected) return expected.body.equals(body);
  return expected.contains.every((text) => body.includes(text));
}

function describe(expected: Expected): string {
  const texts = 'body' in expected ? [expected.body] : expected.contains;
  return `${expected.status} with ${texts.map(shorten).join(' and ')}`;
}

function shorten(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.length <= 300 ? `"${text}"` : `"${text.slice(0, 300)}…" (${bytes.length} bytes)`;
}
