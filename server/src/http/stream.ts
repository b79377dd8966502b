import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Logger } from 'pino';
import type { AppContext } from './reply.ts';

/**
 * Sends chunks as they come, as fast as the reader takes them. An error after the first byte destroys the connection
 * without the closing chunk, so that a cut reply can never look whole (which the adapter's own streams do not promise).
 */
export function streamReply(
  c: AppContext,
  headers: Record<string, string>,
  chunks: AsyncIterable<string>,
  logger: Logger,
): Response {
  const { outgoing } = c.env;
  const requestId = c.get('requestId');
  outgoing.writeHead(200, headers);
  pipeline(Readable.from(inTurns(chunks), { highWaterMark: 1 }), outgoing).catch((error: NodeJS.ErrnoException) => {
    // A reader that leaves early is in the request's own log line.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') logger.error({ requestId, err: error }, 'a reply was cut');
  });
  return RESPONSE_ALREADY_SENT;
}

/** Between two chunks everybody else has their turn. */
async function* inTurns(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
