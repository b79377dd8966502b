import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';

export const ENCODINGS = ['identity', 'gzip', 'br'];

/** Decompresses a body to a string. @throws if it is incomplete */
export function decode(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === 'gzip') return gunzipSync(bytes).toString();
  return (encoding === 'br' ? brotliDecompressSync(bytes) : bytes).toString();
}

/** Decompresses a body that may be incomplete. */
export function decodeStart(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === 'gzip') return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  if (encoding !== 'br') return bytes.toString();
  return brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH }).toString();
}
