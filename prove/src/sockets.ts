import { readdirSync, readlinkSync } from 'node:fs';
import type { ServeProcess } from '../../testkit/src/process.ts';

/** Open connections, and a few sockets that are always there. */
export function countSockets({ child }: Pick<ServeProcess, 'child'>): number {
  return countSocketsOf(Number(child.pid));
}

export function countSocketsOf(pid: number): number {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).filter((file) => linkOf(`${directory}/${file}`).startsWith('socket:')).length;
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
