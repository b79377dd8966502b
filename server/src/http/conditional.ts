import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../model/errors.ts';

/** One or more entity tags, or `*` (RFC 9110 §8.8.3, §13.1.2). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
const ENTITY_TAGS = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;

/** The strong tag of one version of a listing. */
export function listingTag(version: number): string {
  return `"${version}"`;
}

/** The weak tag of a list: it changes with anything the list could depend on. */
export function listTag(...parts: (string | number)[]): string {
  return `W/"${hash('sha1', parts.join('\n'), 'base64url')}"`;
}

/**
 * What `If-None-Match` names, read before anything is looked up.
 * @throws {AppError} `invalid_header` if it cannot be read
 */
export function readIfNoneMatch({ 'if-none-match': header }: IncomingHttpHeaders): TagCondition | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return () => true;
  if (!ENTITY_TAGS.test(header)) {
    throw new AppError(
      'invalid_header',
      'If-None-Match must be "*" or a list of ETags in double quotes, as they were sent.',
    );
  }
  // Weak comparison (RFC 9110 §8.8.3.2).
  const opaque = new Set(header.match(ENTITY_TAG)?.map(withoutWeakness));
  return (tag) => opaque.has(withoutWeakness(tag));
}

/** Whether a header names this entity tag. */
export type TagCondition = (tag: string) => boolean;

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
