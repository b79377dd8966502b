import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { AppError } from '../model/errors.ts';
import { countHeader } from './raw-headers.ts';
import { JSON_TYPE } from './reply.ts';

/**
 * The media type that the caller likes best of those there are; the first where it does not care.
 * @throws {AppError} `not_acceptable`
 */
export function negotiateType({ accept }: IncomingHttpHeaders, types: readonly string[]): string {
  // An empty list asks for nothing in particular.
  if (!accept || accept === '*/*' || accept === JSON_TYPE) return JSON_TYPE;
  const withCharset = types.map((type) => `${type};charset=utf-8`);
  const best = new Negotiator({ headers: { accept } }).mediaType(withCharset);
  const type = types.find((_, index) => withCharset[index] === best);
  if (type !== undefined) return type;
  throw new AppError('not_acceptable', `This reply comes as ${types.join(', ')}; ask for that in Accept.`);
}

/**
 * Checks that the body is said to be of one of these types, in UTF-8 and not compressed.
 * @throws {AppError} `unsupported_media_type`
 */
export function requireBodyType({ headers, rawHeaders, method }: IncomingMessage, types: readonly string[]): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isUtf8 = parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-8"?\s*$/.test(parameter),
  );
  if (!types.includes(type.trim()) || !isUtf8 || countHeader(rawHeaders, 'content-type') > 1) {
    const message = `Send the body as JSON in UTF-8, with Content-Type: ${types.join(' or ')}.`;
    // RFC 5789 §2.2.
    const accepted = method === 'PATCH' ? { 'Accept-Patch': types.join(', ') } : {};
    throw new AppError('unsupported_media_type', message, { headers: accepted });
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
}
