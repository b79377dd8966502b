import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { iterate } from '../../lib/iterate.ts';
import { ownTurn } from '../../lib/turns.ts';
import { compress, createCompressor, type Encoding, hasCompressorFree, negotiateEncoding } from './compression.ts';
import type { Exchange } from './exchange.ts';
import { commonHeaders, type Reply } from './reply.ts';

/** How long what nobody wants is read, so that the reply reaches a client that is still sending. */
export const LINGER_MS = 500;

/** A text up to this length is compressed at once, in a millisecond at most: in another thread it would take twice as long. */
const SHORT_LENGTH_MAX = 64 * 1024;

/**
 * Sends a reply, to HEAD without its body.
 * @throws when a body in chunks fails: the connection is destroyed by then, without the closing chunk
 */
export async function send(exchange: Exchange, reply: Reply): Promise<void> {
  const { incoming, outgoing, requestId, rateLimit } = exchange;
  const encoding = mayCompress(reply) ? negotiateEncoding(incoming.headers) : undefined;
  const headers = { ...commonHeaders(requestId), ...rateLimit, ...reply.headers };
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  const body = encoding === undefined ? reply.body : compressShort(reply.body, encoding);
  if (!incoming.complete) closeAfterReply(exchange);
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    headers['Content-Length'] = String(Buffer.byteLength(body));
    outgoing.writeHead(reply.status, headers);
    if (incoming.complete || outgoing.shouldKeepAlive) outgoing.end(body);
    else await endWithRequest(exchange, body);
  } else if (body === undefined || incoming.method === 'HEAD') {
    outgoing.writeHead(reply.status, headers).end();
  } else {
    outgoing.writeHead(reply.status, headers);
    await sendInChunks(exchange, body, encoding);
  }
}

function mayCompress({ body, isCompressible = false }: Reply): boolean {
  return isCompressible && ((typeof body === 'string' && body.length <= SHORT_LENGTH_MAX) || hasCompressorFree());
}

/** A short text as its compressed bytes; any other as chunks to compress. */
function compressShort(body: Reply['body'], encoding: Encoding): Buffer | Chunks | undefined {
  if (typeof body !== 'string') return body;
  return body.length <= SHORT_LENGTH_MAX ? compress(body, encoding) : Readable.from([body]);
}

type Chunks = AsyncIterable<string>;

async function sendInChunks(exchange: Exchange, chunks: Chunks, encoding: Encoding | undefined): Promise<void> {
  const { incoming, outgoing } = exchange;
  // The end of the connection is the end of an HTTP/1.0 reply: only a reset tells that it was cut.
  const cut = incoming.httpVersionMinor === 0 ? () => outgoing.socket?.resetAndDestroy() : undefined;
  if (cut !== undefined) outgoing.once('timeout', cut);
  const source = Readable.from(inTurns(chunks, exchange.principal?.accountId, cut), { highWaterMark: 1 });
  const compressors = encoding === undefined ? [] : [createCompressor(encoding)];
  await pipeline([source, ...compressors, outgoing]);
}

/**
 * Between two chunks everybody else has their turn. They are bytes: as texts those of many slow readers would live so long
 * that V8 takes them for old, and memory grows until it looks at these.
 */
function inTurns(
  chunks: Chunks,
  accountId: string | undefined,
  onError: (() => void) | undefined,
): AsyncIterable<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  return iterate(async () => {
    await ownTurn(accountId);
    try {
      const { value } = await iterator.next();
      return value === undefined ? undefined : Buffer.from(value);
    } catch (error) {
      onError?.();
      throw error;
    }
  });
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
