import { readFileSync } from 'node:fs';

/** This process's limit on open files, including connections; undefined without a limit or outside Linux. */
export function readOpenFilesMax(): number | undefined {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return most === undefined ? undefined : Number(most);
  } catch {
    return undefined;
  }
}
