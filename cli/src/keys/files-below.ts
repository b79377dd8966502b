import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Directories that are large and do not contain the user's own work. They are scanned only if their path is
 * given.
 */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Yields the file at a path, or all files below a directory, sorted by name. In a directory, it does not
 * follow symbolic links, which could form cycles or lead outside the directory, and it skips pipes and
 * devices, which may never end.
 */
export async function* filesBelow(
  path: string,
  onError: (path: string, error: unknown) => void,
): AsyncGenerator<string> {
  try {
    if ((await stat(path)).isDirectory()) yield* filesIn(path, onError);
    else yield path;
  } catch (error) {
    onError(path, error);
  }
}

async function* filesIn(directory: string, onError: (path: string, error: unknown) => void): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (SKIPPED.has(entry.name)) continue;
    if (entry.isDirectory()) yield* filesBelow(path, onError);
    else if (entry.isFile()) yield path;
  }
}
