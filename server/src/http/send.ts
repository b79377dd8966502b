import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';
import { commonHeaders, type Reply } from './reply.ts';

/** How long the rest of a body that nobody wants is read, so that the reply reaches a client that is still sending. */
const LINGER_MS = 500;

/**
 * Sends a reply, to HEAD without its body.
 * @throws when a body in chunks fails: the connection is destroyed by then, without the closing chunk
 */
export async function send(
  { incoming, outgoing, requestId, rateLimit }: Exchange,
  { status, headers, body }: Reply,
): Promise<void> {
  const all: Record<string, string | number> = { ...commonHeaders(requestId), ...rateLimit, ...headers };
  if (!incoming.complete) closeAfterReply({ incoming, outgoing });
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    all['Content-Length'] = Buffer.byteLength(body);
    outgoing.writeHead(status, all);
    if (incoming.complete || outgoing.shouldKeepAlive) outgoing.end(body);
    else await endWithRequest({ incoming, outgoing }, body);
  } else if (body === undefined || incoming.method === 'HEAD') {
    outgoing.writeHead(status, all).end();
  } else {
    outgoing.writeHead(status, all);
    await pipeline(Readable.from(inTurns(body), { highWaterMark: 1 }), outgoing);
  }
}

/** Between two chunks everybody else has their turn. */
async function* inTurns(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}

/**
 * The last reply of a connection: `node:http` closes it with the reply's end, and whoever was still sending would find it
 * broken before they read. So all of the reply is sent, and its end waits for that of the request.
 */
async function endWithRequest(
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  body: string | Buffer,
): Promise<void> {
  outgoing.write(body);
  incoming.resume();
  await finished(incoming, { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => undefined);
  outgoing.end();
}

/** Once the reply is out, `node:http` goes on reading the body; one that does not end soon is cut. */
function closeAfterReply({ incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>): void {
  outgoing.once('finish', () => {
    const timer = setTimeout(() => incoming.socket.destroySoon(), LINGER_MS);
    incoming.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}
