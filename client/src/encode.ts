import type { MakeBody } from './transport.ts';

export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const PATCH_TYPE = { 'Content-Type': 'application/merge-patch+json' };

/**
 * Encodes an ID as a path segment.
 * @throws {TypeError} if the ID is not a string, or would change the path: "", ".", or ".."
 */
export function toSegment(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('The ID must be a string other than "", ".", and "..".');
  return encodeURIComponent(id);
}

/** Serializes once, so that every attempt sends the same bytes. @throws {TypeError} if the value is not an object */
export function toJson(value: object): MakeBody {
  if (Object(value) !== value) throw new TypeError('Pass the body as an object.');
  const body = JSON.stringify(value);
  return () => ({ body });
}
