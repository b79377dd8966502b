import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { iterate } from '../../lib/iterate.ts';
import { ownTurn } from '../../lib/turns.ts';
import { AppError } from '../../model/errors.ts';
import { HTTP_1_0_MESSAGE } from '../contract/errors/requests.ts';
import { compress, createCompressor, type Encoding, hasCompressorFree, negotiateEncoding } from './compression.ts';
import type { Exchange } from './exchange.ts';
import { ReadyBody } from './ready-body.ts';
import { commonHeaders, type Reply } from './reply.ts';

/** How long an unwanted body is read, so that the response reaches a client that is still sending. */
export const LINGER_MS = 500;
const LINGER_STEP_MS = 50;
/** Maximum late steps that are not counted, so that a slow event loop does not keep connections open forever. */
const LATE_STEPS_MAX = 100;

/** Up to this length, compression takes at most a millisecond; another thread would take twice as long. */
const SHORT_LENGTH_MAX = 64 * 1024;

/**
 * HTTP/1.0 does not support chunks. A response without `Content-Length` would end with its connection, and would look
 * complete if a crash cut it off.
 * @throws {AppError} `http_version_not_supported` for a streamed body
 */
export function requireSendable(reply: Reply, { incoming }: Pick<Exchange, 'incoming'>): Reply {
  if (incoming.httpVersionMinor > 0 || !isStreamed(reply.body)) return reply;
  throw new AppError('http_version_not_supported', HTTP_1_0_MESSAGE);
}

function isStreamed(body: Reply['body']): body is Chunks {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

/** @throws if a streamed body fails; then destroy the connection, so that the client notices the missing end */
export async function send(exchange: Exchange, reply: Reply): Promise<void> {
  const { incoming, outgoing, requestId, rateLimit } = exchange;
  const encoding = canCompress(reply, incoming) ? negotiateEncoding(incoming.headers) : undefined;
  const headers = { ...commonHeaders(requestId), ...rateLimit, ...reply.headers };
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  const body = encode(reply.body, encoding);
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

/** Longer strings are compressed in chunks, which requires HTTP/1.1 and a free compressor. */
function canCompress({ body, isCompressible = false }: Reply, { httpVersionMinor }: IncomingMessage): boolean {
  const isShort = body instanceof ReadyBody || (typeof body === 'string' && body.length <= SHORT_LENGTH_MAX);
  return isCompressible && (isShort || (httpVersionMinor > 0 && hasCompressorFree()));
}

/** Returns a short string compressed, and a longer one as chunks to compress. */
function encode(body: Reply['body'], encoding: Encoding | undefined): string | Buffer | Chunks | undefined {
  if (body instanceof ReadyBody) return body.encode(encoding);
  if (encoding === undefined || typeof body !== 'string') return body;
  return body.length <= SHORT_LENGTH_MAX ? compress(body, encoding) : Readable.from([Buffer.from(body)]);
}

type Chunks = AsyncIterable<Buffer>;

/** @throws any error of `chunks`, or an error of the compressor if the client has disconnected */
async function sendInChunks(exchange: Exchange, chunks: Chunks, encoding: Encoding | undefined): Promise<void> {
  const { outgoing, principal } = exchange;
  const source = inTurns(chunks, principal?.accountId);
  if (encoding === undefined) return await writeAll(outgoing, source);
  const compressor = createCompressor(encoding);
  // Reads one chunk ahead while another thread compresses.
  const compressing = pipeline(Readable.from(source, { highWaterMark: 1 }), compressor);
  const writing = writeAll(outgoing, compressor).finally(() => compressor.destroy());
  await Promise.all([compressing, writing]);
}

/** If the client disconnects, stops at the next chunk; `pipeline` stops at once, but takes ten times the CPU time. */
async function writeAll(outgoing: ServerResponse, chunks: Chunks): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  while (!outgoing.destroyed && (await writeNext(outgoing, iterator)))
    if (outgoing.writableNeedDrain) await drained(outgoing);
  if (!outgoing.destroyed) outgoing.end();
}

/** A separate function, so the chunk does not stay in memory while the next one is read. */
async function writeNext(outgoing: ServerResponse, iterator: AsyncIterator<Buffer>): Promise<boolean> {
  const { value } = await iterator.next();
  if (value === undefined || outgoing.destroyed) return false;
  outgoing.write(value);
  return true;
}

function drained(outgoing: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  outgoing.once('drain', resolve).once('close', resolve);
  return promise.finally(() => outgoing.off('drain', resolve).off('close', resolve));
}

/** Yields to other accounts between chunks. The first has already been read, so waiting would only take memory. */
function inTurns(chunks: Chunks, accountId: string | undefined): Chunks {
  const iterator = chunks[Symbol.asyncIterator]();
  let isFirst = true;
  return iterate(async () => {
    if (!isFirst) await ownTurn(accountId);
    isFirst = false;
    const { value } = await iterator.next();
    return value;
  });
}

/**
 * Sends the last response of a connection. `node:http` closes the connection when the response ends, and a client that
 * is still sending would not read the response. So the response ends only after the request has ended.
 */
async function endWithRequest(
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  body: string | Buffer,
): Promise<void> {
  outgoing.write(body);
  incoming.resume();
  await restOf(incoming);
  outgoing.end();
}

/** Closes the connection if `node:http` takes too long to read the rest of the body after the response. */
function closeAfterReply({ incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>): void {
  outgoing.once('finish', () => {
    // The response of an import, for example, ends after the request.
    if (incoming.complete) return;
    void restOf(incoming).then(() => {
      if (!incoming.complete) incoming.socket.destroySoon();
    });
  });
}

/**
 * Resolves at the end of a request, or when the rest of it takes too long. Late steps do not count: while the
 * event loop was blocked, the rest of the request and the next request may have arrived, and closing the
 * connection would lose the next request.
 */
function restOf(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  let [steps, lateSteps, lastMs] = [0, 0, performance.now()];
  const timer = setInterval(() => {
    const isLate = performance.now() - lastMs > 2 * LINGER_STEP_MS;
    lastMs = performance.now();
    if (isLate && lateSteps < LATE_STEPS_MAX) lateSteps += 1;
    else steps += 1;
    if (steps >= LINGER_MS / LINGER_STEP_MS) resolve();
  }, LINGER_STEP_MS);
  incoming.once('end', resolve).once('close', resolve);
  return promise.finally(() => clearInterval(timer));
}
