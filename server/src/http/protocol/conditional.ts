import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Precondition } from '../../domain/listings.ts';
import { AppError } from '../../model/errors.ts';

/** One or more entity tags, or `*` (RFC 9110 §8.8.3, §13.1.2). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** What nearly all clients send; its opaque part. */
const ONE_TAG = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")$/;
const ENTITY_TAGS = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;

/** The strong tag of one version of a listing. */
export function listingTag(version: number): string {
  return `"${version}"`;
}

/** The weak tag of a list: it changes with anything the list could depend on. */
export function listTag(...parts: (string | number)[]): string {
  return `W/"${hash('sha1', parts.join('\n'), 'base64url')}"`;
}

/** Whether a header names this entity tag. */
export type TagCondition = (tag: string) => boolean;

/**
 * What `If-None-Match` names, read before anything is looked up; tags are compared weakly (RFC 9110 §8.8.3.2).
 * @throws {AppError} `invalid_header` if it cannot be read
 */
export function readIfNoneMatch({ 'if-none-match': header }: IncomingHttpHeaders): TagCondition | undefined {
  if (header === undefined) return undefined;
  const single = ONE_TAG.exec(header)?.[1];
  if (single !== undefined) return (tag) => withoutWeakness(tag) === single;
  if (header.trim() === '*') return () => true;
  const opaque = new Set(readTags('If-None-Match', header).map(withoutWeakness));
  return (tag) => opaque.has(withoutWeakness(tag));
}

/**
 * What `If-Match` and `If-None-Match` ask of a listing that is to be changed (RFC 9110 §13.1); the tags of `If-Match`
 * are compared strongly: a weak one never matches.
 * @throws {AppError} `invalid_header` if one cannot be read
 */
export function readPrecondition(headers: IncomingHttpHeaders): Precondition | undefined {
  const ifMatch = headers['if-match']?.trim();
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const wanted = ifMatch === undefined || ifMatch === '*' ? undefined : new Set(readTags('If-Match', ifMatch));
  const isUnwanted = readIfNoneMatch(headers);
  return (version) => {
    if (ifMatch === '*' && version === undefined) throw preconditionFailed('There is no such listing to replace.');
    if (wanted !== undefined && (version === undefined || !wanted.has(listingTag(version)))) throw mismatch(version);
    if (version === undefined || isUnwanted === undefined || !isUnwanted(listingTag(version))) return;
    throw ifNoneMatch === '*' ? preconditionFailed('There is such a listing already.') : mismatch(version);
  };
}

function preconditionFailed(message: string): AppError {
  return new AppError('precondition_failed', message);
}

/** `currentVersion` is null where there is no listing. */
function mismatch(version: number | undefined): AppError {
  return new AppError(
    'version_mismatch',
    'The listing is not at the version you named: read it again, and send your change with its ETag.',
    { members: { currentVersion: version ?? null } },
  );
}

function readTags(name: string, header: string): string[] {
  if (ENTITY_TAGS.test(header)) return header.match(ENTITY_TAG) ?? [];
  throw new AppError('invalid_header', `${name} must be "*" or a list of ETags in double quotes, as they were sent.`);
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
