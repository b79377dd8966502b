/** Values by key, such as `status:Sold` → `closed`. */
type Texts = Record<string, string>;

/**
 * Reads one `key = text` entry per line. A line without `=` is read as a key with an empty value. The service
 * rejects an empty default; an empty value for a word means that the word stands for no value.
 */
export function parseLines(lines: string): Texts {
  const entries = lines.split('\n').flatMap((line): [string, string][] => {
    const at = line.lastIndexOf('=');
    if (line.trim() === '') return [];
    return at < 0 ? [[line.trim(), '']] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
  return Object.fromEntries(entries);
}

export function formatLines(texts: Texts): string {
  return Object.entries(texts)
    .map(([key, text]) => `${key} = ${text}\n`)
    .join('');
}

/** Creates a merge patch that makes `stored` equal to `next`. */
export function patchOf(stored: Texts, next: Texts): Record<string, string | null> {
  const removed = Object.keys(stored).filter((key) => !Object.hasOwn(next, key));
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...next };
}
