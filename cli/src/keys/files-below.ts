import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What is left out unless it is named: nobody's own work, and a lot of it. */
const LEFT_OUT = new Set(['.git', 'node_modules']);

/**
 * The files that a path stands for: itself, or those below it in order of their names. Below it links are not followed, so that
 * they cannot lead in circles or out of it; pipes and devices are left out, since they might never end.
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
    if (LEFT_OUT.has(entry.name)) continue;
    if (entry.isDirectory()) yield* filesBelow(path, onError);
    else if (entry.isFile()) yield path;
  }
}
