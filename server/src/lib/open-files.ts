import { readFileSync } from 'node:fs';

/** The limit of open files, including connections, for this process; undefined on systems other than Linux. */
export function readOpenFilesMax(): number | undefined {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return most === undefined ? undefined : Number(most);
  } catch {
    return undefined;
  }
}
