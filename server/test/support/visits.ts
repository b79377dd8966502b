import type { Socket } from 'node:net';
import { openSocket, type RawReply, readReply, requestText } from '../../../testkit/src/raw-http.ts';

/** A raw request and a check of its response. */
export interface Visit {
  request: string;
  isGood(reply: RawReply): boolean;
  /** Whether each request has its own connection. */
  isAlone?: boolean;
}

export interface Visits {
  /** The number of good responses. */
  good: number;
  /** Bad responses, and requests without one. */
  failures: string[];
  /** Stops, and resolves after the last response. */
  finish(): Promise<void>;
}

/** Visits end after this many failures, so that they do not go on forever without a service. */
const FAILURES_MAX = 1_000;

/** Repeats a request on one connection, and reconnects when a response says so. */
export function startVisits(url: string, visit: Visit): Visits {
  const visits: Visits = { good: 0, failures: [], finish };
  let finished = false;
  const ended = visitInTurn();

  async function visitInTurn(): Promise<void> {
    let socket: Socket | undefined;
    while (!finished && visits.failures.length < FAILURES_MAX) {
      socket ??= await openSocket(url).catch((error: unknown) => void visits.failures.push(String(error)));
      if (socket === undefined) continue;
      socket.write(visit.request);
      const reply = await readReply(socket);
      if (reply !== undefined && visit.isGood(reply)) visits.good += 1;
      else visits.failures.push(reply?.head ?? 'no reply');
      if (reply?.closes !== false || visit.isAlone) {
        socket.destroy();
        socket = undefined;
      }
    }
    socket?.destroy();
  }

  async function finish(): Promise<void> {
    finished = true;
    await ended.catch((error: unknown) => visits.failures.push(String(error)));
  }

  return visits;
}

/** A request with a key that must get this status. */
export function visitOf(status: number, method: string, path: string, key: string, body = ''): Visit {
  return { request: requestText(method, path, key, body), isGood: (reply) => reply.status === status };
}
