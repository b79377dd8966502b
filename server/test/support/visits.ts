import type { Socket } from 'node:net';
import { openSocket, type RawReply, readReply, requestText } from '../../../testkit/src/raw-http.ts';

/** A request as its text, and whether a reply to it is as it should be. */
export interface Visit {
  request: string;
  isGood(reply: RawReply): boolean;
  /** Whether each request has a connection of its own. */
  isAlone?: boolean;
}

export interface Visits {
  /** How many replies were good. */
  good: number;
  /** What went wrong: bad replies, and requests without one. */
  failures: string[];
  /** Resolves when the last requests have their replies. */
  finish(): Promise<void>;
}

/** Sends a request again and again, as a client does that closes its connection when it is told to. */
export function startVisits(url: string, visit: Visit): Visits {
  const visits: Visits = { good: 0, failures: [], finish };
  let finished = false;
  const ended = visitInTurn();

  async function visitInTurn(): Promise<void> {
    let socket: Socket | undefined;
    while (!finished) {
      socket ??= await openSocket(url);
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

/** A request with a key that is answered with this status. */
export function visitOf(status: number, method: string, path: string, key: string, body = ''): Visit {
  return { request: requestText(method, path, key, body), isGood: (reply) => reply.status === status };
}
