import { openSocket, type RawReply, readReply, requestText } from '../../../testkit/src/raw-http.ts';

export interface Load {
  /** The IDs of the listings whose 201 has arrived. */
  created: string[];
  /** Responses other than 201. */
  refused: RawReply[];
  /** Sends no more requests. */
  finish(): void;
  /** Resolves when all connections have ended; rejects if one ended within a response. */
  ended: Promise<void>;
}

/** Creates listings one by one on each connection until it ends or `finish` is called. */
export function startCreating(url: string, key: string, connections: number): Load {
  const created: string[] = [];
  const refused: RawReply[] = [];
  let finished = false;

  async function createInTurn(lane: number): Promise<void> {
    const socket = await openSocket(url).catch(() => undefined);
    if (socket === undefined) return;
    try {
      for (let turn = 0; !finished; turn += 1) {
        const body = JSON.stringify({ address: `${turn} Lane ${lane}`, beds: 3, baths: 2 });
        socket.write(requestText('POST', '/v1/listings', key, body));
        const reply = await readReply(socket);
        if (reply === undefined) return;
        if (reply.status === 201) created.push(JSON.parse(reply.body).id);
        else refused.push(reply);
        if (reply.closes) return;
      }
    } finally {
      socket.destroy();
    }
  }

  const lanes = Array.from({ length: connections }, (_, lane) => createInTurn(lane));
  return {
    created,
    refused,
    finish() {
      finished = true;
    },
    ended: Promise.all(lanes).then(() => undefined),
  };
}
