import { hash } from 'node:crypto';
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
 * Whether `If-None-Match` names this tag, by weak comparison.
 * @throws {AppError} `invalid_header` if it cannot be read
 */
export function isNotModified(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  if (!ENTITY_TAGS.test(header)) {
    throw new AppError(
      'invalid_header',
      'If-None-Match must be "*" or a list of ETags in double quotes, as they were sent.',
    );
  }
  return (header.match(ENTITY_TAG) ?? []).some((given) => opaque(given) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
