import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../model/errors.ts';
import { looksGzipped } from '../protocol/body.ts';
import { FileEndError } from './file-rows.ts';

const CHUNK_BYTES = 64 * 1024;

/** @throws {AppError} `import_failed` for invalid, undeclared, or double gzip, or any error from `chunks` */
export async function* decompress(chunks: AsyncIterable<Buffer>, isGzipped: boolean): AsyncGenerator<Buffer> {
  let isFirst = true;
  try {
    for await (const chunk of isGzipped ? gunzip(chunks) : chunks) {
      if (isFirst && looksGzipped(chunk)) throw unexpectedGzip(isGzipped);
      isFirst = false;
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? invalidGzip(error) : error;
  }
}

function gunzip(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // The iterator of `gunzip` reports errors, so the callback does not need to.
  pipeline(Readable.from(chunks, { highWaterMark: 1 }), gunzip, () => {});
  return gunzip;
}

function unexpectedGzip(isDecompressed: boolean): AppError {
  const message = isDecompressed
    ? 'The body is compressed twice; compress it once.'
    : 'The body looks like gzip; send it with the Content-Encoding: gzip header, or send the file uncompressed.';
  return new AppError('import_failed', message);
}

function isZlibError(error: unknown): error is { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
}

function invalidGzip({ code }: { code: string }): AppError {
  const Kind = code === 'Z_BUF_ERROR' ? FileEndError : AppError;
  return new Kind(
    'import_failed',
    'Content-Encoding is gzip, but the body is not valid gzip or was cut off; compress it again.',
  );
}
