import assert from 'node:assert/strict';
import { beginRequest, openSocket, readReply } from '../../../../testkit/src/raw-http.ts';
import { chunk, chunked, LAST } from './chunks.ts';
import { MARK, type Target } from './streams.ts';

/** As long as what it stands for, or the length of the chunk would be wrong. */
const CUT = 'cut'.padEnd(MARK.length, '-');

/**
 * Ends a connection while its body is read, of which the last byte is missing: that of the last chunk.
 * @throws AssertionError when it is taken for whole
 */
export async function cutBody(url: string, target: Target): Promise<void> {
  const socket = await openSocket(url);
  await beginRequest(
    socket,
    chunked(chunk() + LAST)
      .bytes(target)
      .replaceAll(MARK, CUT),
  );
  const reply = readReply(socket);
  socket.end();
  assert.notEqual((await reply)?.status, 201, 'a body without its last byte is taken for whole');
}
