import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Large directories that are not the user's own work. They are scanned only if given as a path. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Yields the file at a path, or all files below a directory, sorted by name. Below the directory, it does not follow
 * links, which could form cycles or lead outside, and skips pipes and devices, which may never end.
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
