import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Large directories without the user's own work. They are scanned only if their path is given. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Yields the file at a path, or all files below a directory, sorted by name. In a directory, it does not follow
 * symbolic links, which could form cycles or lead outside, and it skips pipes and devices, which may never end.
 */
export async function* filesBelow(
  path: string,
  onError: (path: string, error: unknown) => void,
): AsyncGenerator<string> {
  try {
    if (!(await stat(path)).isDirectory()) return yield path;
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const inner = join(path, entry.name);
      if (SKIPPED.has(entry.name)) continue;
      if (entry.isDirectory()) yield* filesBelow(inner, onError);
      else if (entry.isFile()) yield inner;
    }
  } catch (error) {
    onError(path, error);
  }
}
