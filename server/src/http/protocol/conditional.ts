import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Precondition } from '../../domain/listings/listings.ts';
import { AppError } from '../../model/errors.ts';

/** An entity tag (RFC 9110 §8.8.3). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** One tag, the usual case; captures the opaque part. */
const ONE_TAG = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")$/;
/** One or more tags (RFC 9110 §13.1.2). */
const ENTITY_TAGS = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;

/** The strong ETag of a listing. */
export function listingTag(version: number): string {
  return `"${version}"`;
}

/** The weak ETag of a list. `parts` contains everything that the list depends on. */
export function listTag(...parts: (string | number)[]): string {
  return `W/"${hash('sha1', parts.join('\n'), 'base64url')}"`;
}

export type TagCondition = (tag: string) => boolean;

/** Reads `If-None-Match`, which compares tags weakly (RFC 9110 §8.8.3.2). @throws {AppError} `invalid_header` */
export function readIfNoneMatch({ 'if-none-match': header }: IncomingHttpHeaders): TagCondition | undefined {
  if (header === undefined) return undefined;
  const single = ONE_TAG.exec(header)?.[1];
  if (single !== undefined) return (tag) => withoutWeakness(tag) === single;
  if (header.trim() === '*') return () => true;
  const opaque = new Set(readTags('If-None-Match', header).map(withoutWeakness));
  return (tag) => opaque.has(withoutWeakness(tag));
}

/** Reads both conditions (RFC 9110 §13.1). `If-Match` never matches weak tags. @throws {AppError} `invalid_header` */
export function readPrecondition(headers: IncomingHttpHeaders): Precondition | undefined {
  const ifMatch = headers['if-match']?.trim();
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const wanted = ifMatch === undefined || ifMatch === '*' ? undefined : new Set(readTags('If-Match', ifMatch));
  const isUnwanted = readIfNoneMatch(headers);
  return (version) => {
    if (ifMatch === '*' && version === undefined) throw preconditionFailed('The listing does not exist.');
    if (wanted !== undefined && version === undefined) throw mismatch(MISSING, null);
    if (version === undefined) return;
    const tag = listingTag(version);
    if (wanted !== undefined && !wanted.has(tag)) throw mismatch(CHANGED, version);
    if (isUnwanted === undefined || !isUnwanted(tag)) return;
    throw ifNoneMatch === '*' ? preconditionFailed('The listing already exists.') : mismatch(UNWANTED, version);
  };
}

function preconditionFailed(message: string): AppError {
  return new AppError('precondition_failed', message);
}

const CHANGED = 'The listing has changed; read it again and send your change with the new ETag.';
const MISSING = 'The listing does not exist; to create it, leave out If-Match.';
const UNWANTED = 'The listing has a version that If-None-Match excludes; leave out If-None-Match to change it anyway.';

/** `currentVersion` is null if there is no listing. */
function mismatch(message: string, currentVersion: number | null): AppError {
  return new AppError('version_mismatch', message, { members: { currentVersion } });
}

function readTags(name: string, header: string): string[] {
  if (ENTITY_TAGS.test(header)) return header.match(ENTITY_TAG) ?? [];
  throw new AppError(
    'invalid_header',
    `${name} must be "*" or a list of ETags in double quotes, exactly as you received them.`,
  );
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
