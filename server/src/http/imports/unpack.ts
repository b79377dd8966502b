import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../model/errors.ts';
import { looksPacked } from '../protocol/body.ts';

/** What is unpacked at a time. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The bytes of a body, unpacked if they are gzip.
 * @throws {AppError} `import_failed` when what comes is not gzip, or is gzip without being declared; what `chunks` throws
 */
export async function* unpack(chunks: AsyncIterable<Buffer>, isPacked: boolean): AsyncGenerator<Buffer> {
  let isFirst = true;
  try {
    for await (const chunk of isPacked ? gunzip(chunks) : chunks) {
      if (isFirst && looksPacked(chunk)) throw packedBody(isPacked);
      isFirst = false;
      yield chunk;
    }
  } catch (error) {
    throw isUnpackError(error) ? brokenPackage() : error;
  }
}

function gunzip(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  // Its own iterator tells of errors.
  pipeline(Readable.from(chunks, { highWaterMark: 1 }), unpacked, () => {});
  return unpacked;
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
