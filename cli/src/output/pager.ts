import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { withoutInterrupts } from '../signals.ts';
import { write, writeAll } from './standard-output.ts';

/** Shows text in the pager that `PAGER` names or, without one, on stdout. @returns whether all of it was shown */
export async function page(pieces: AsyncIterable<string>): Promise<boolean> {
  const pager = process.env.PAGER;
  if (!pager || pager === 'cat') {
    await writeAll(pieces);
    return true;
  }
  // `less` quits if the text fits on one screen (F), and shows colors (R).
  const env = { LESS: 'FRX', ...process.env };
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  const closed = once(child, 'close');
  // Ignore write errors: the user may quit the pager before the end.
  child.stdin.on('error', () => {});
  return withoutInterrupts(async () => {
    const isComplete = await send(pieces, child.stdin);
    await closed;
    return isComplete;
  });
}

async function send(pieces: AsyncIterable<string>, input: Writable): Promise<boolean> {
  for await (const piece of pieces) {
    if (!input.writable) return false;
    await write(piece, input).catch(() => {});
  }
  const isComplete = input.writable;
  input.end();
  return isComplete;
}
