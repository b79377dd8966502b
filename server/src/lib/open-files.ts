import { readFileSync } from 'node:fs';

/** How many files this process may have open, connections among them; undefined where the system does not say (only Linux does). */
export function readOpenFilesMax(): number | undefined {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return most === undefined ? undefined : Number(most);
  } catch {
    return undefined;
  }
}
