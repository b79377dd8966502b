/**
 * Counts how often a header occurs; `headers` would show only the first one. `name` is in lower
 * case.
 */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count += 1;
  }
  return count;
}
