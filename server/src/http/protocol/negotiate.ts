import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { AppError } from '../../model/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { countHeader } from './raw-headers.ts';

/** Browsers send about 200 characters. Sorting 16 KiB of preferences would take 20 ms. */
const PREFERENCES_LENGTH_MAX = 1_000;

/** Truncates preferences that the service is allowed to ignore, such as `Accept-Encoding`. */
export function readPreferences(header: string): string {
  return header.slice(0, PREFERENCES_LENGTH_MAX);
}

/** @throws {AppError} `not_acceptable` */
export function negotiateType({ accept }: IncomingHttpHeaders, types: readonly string[]): string {
  // An empty `Accept` expresses no preference.
  if (!accept || accept === '*/*' || accept === JSON_TYPE) return JSON_TYPE;
  if (accept.length > PREFERENCES_LENGTH_MAX) {
    throw new AppError(
      'not_acceptable',
      `Accept is longer than ${PREFERENCES_LENGTH_MAX} characters; name fewer types.`,
    );
  }
  const withCharset = types.map((type) => `${type};charset=utf-8`);
  const best = new Negotiator({ headers: { accept } }).mediaType(withCharset);
  const type = types.find((_, index) => withCharset[index] === best);
  if (type !== undefined) return type;
  const which = types.length === 1 ? 'this type' : 'one of these types';
  throw new AppError(
    'not_acceptable',
    `This response is available as ${types.join(', ')}; request ${which} in Accept.`,
  );
}

/** Checks Content-Type, with its charset, and Content-Encoding. @throws {AppError} `unsupported_media_type` */
export function requireBodyType(
  { headers, rawHeaders, method }: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'>,
  types: readonly string[],
  encodings: readonly string[] = [],
): void {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isUtf8 = parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-8"?\s*$/.test(parameter),
  );
  if (!types.includes(bodyType(headers)) || !isUtf8 || countHeader(rawHeaders, 'content-type') > 1) {
    const message = `Send the body in UTF-8, with Content-Type: ${types.join(' or ')}.`;
    // RFC 5789 §2.2 recommends this header.
    const accepted = method === 'PATCH' ? { 'Accept-Patch': types.join(', ') } : {};
    throw new AppError('unsupported_media_type', message, { headers: accepted });
  }
  const encoding = bodyEncoding(headers);
  if (encoding !== 'identity' && !encodings.includes(encoding)) {
    const others = encodings.length === 0 ? '' : `, or with ${encodings.join(' or ')}`;
    // RFC 9110 §15.5.16 recommends this header.
    throw new AppError('unsupported_media_type', `Send the body without Content-Encoding${others}.`, {
      headers: { 'Accept-Encoding': [...encodings, 'identity'].join(', ') },
    });
  }
}

/** The declared media type, without parameters. */
export function bodyType(headers: IncomingHttpHeaders): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

export function bodyEncoding(headers: IncomingHttpHeaders): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  // `x-gzip` is an old name for gzip (RFC 9110 §8.4.1.3).
  return encoding === 'x-gzip' ? 'gzip' : encoding;
}
