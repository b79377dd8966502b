import { PassThrough } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '../model/errors.ts';
import { looksPacked, SILENCE_MAX_MS } from './body.ts';
import type { Exchange } from './exchange.ts';

/** As large as what a socket gives at a time. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The bytes of a body of any length as they come, unpacked. Who does not take them holds the sender back.
 * @throws {AppError} `request_timeout` when nothing comes for too long; `import_failed` when what comes is not gzip, or is and
 * nobody has said so
 */
export async function* readUpload({ incoming, outgoing }: Exchange, isPacked: boolean): AsyncGenerator<Buffer> {
  const unpacked = isPacked ? createGunzip({ chunkSize: CHUNK_BYTES }) : new PassThrough();
  let isAwaited = true;
  let isFirst = true;
  const silence = setTimeout(onSilence, SILENCE_MAX_MS);
  const { socket } = incoming;
  const { timeout = 0 } = socket;
  // The connection may well be idle while the rows of a well packed chunk are written.
  socket.setTimeout(0);
  incoming
    .on('data', () => silence.refresh())
    .on('error', onAbort)
    .on('close', onAbort);
  if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue();
  try {
    for await (const chunk of incoming.pipe(unpacked)) {
      isAwaited = false;
      if (isFirst && looksPacked(chunk)) throw packedBody(isPacked);
      isFirst = false;
      yield chunk;
      isAwaited = true;
      silence.refresh();
    }
  } catch (error) {
    throw isUnpackError(error) ? brokenPackage() : error;
  } finally {
    clearTimeout(silence);
    socket.setTimeout(timeout);
    // What is left of the body goes nowhere, so that the reply is not held up.
    incoming.unpipe(unpacked).resume();
  }

  function onSilence(): void {
    if (isAwaited)
      unpacked.destroy(new AppError('request_timeout', 'No bytes came for too long; send the file again.'));
    else silence.refresh();
  }
  function onAbort(): void {
    if (!incoming.complete)
      unpacked.destroy(new AppError('invalid_header', 'The connection ended before the body did.'));
  }
}

function packedBody(isUnpacked: boolean): AppError {
  const message = isUnpacked
    ? 'The body is packed twice; pack it once.'
    : 'The body looks like gzip; send the header Content-Encoding: gzip with it, or the file as it is.';
  return new AppError('import_failed', message);
}

function isUnpackError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
}

function brokenPackage(): AppError {
  return new AppError('import_failed', 'The body is not gzip as Content-Encoding says, or it was cut; pack it again.');
}
