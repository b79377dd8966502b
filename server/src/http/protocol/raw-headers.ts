/** Counts how often a header occurs. In `headers`, Node.js joins or drops duplicates. `name` must be lowercase. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count += 1;
  }
  return count;
}

/** The size of the header block, including a colon, a space, and a line break for each header. */
export function headerBytes(rawHeaders: readonly string[]): number {
  // A header is two items, its name and its value, and adds four bytes.
  let bytes = 2 * rawHeaders.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
