import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { withoutInterrupts } from '../signals.ts';
import { write, writeAll } from './standard-output.ts';

/** Shows a long text by the user's pager, if there is one. @returns whether it was shown to its end */
export async function page(pieces: AsyncIterable<string>): Promise<boolean> {
  const pager = process.env.PAGER;
  if (pager && pager !== 'cat') return showBy(pager, pieces);
  await writeAll(pieces);
  return true;
}

async function showBy(pager: string, pieces: AsyncIterable<string>): Promise<boolean> {
  // `less` ends by itself where one screen is enough (F), and shows colours (R).
  const env = { LESS: 'FRX', ...process.env };
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  const closed = once(child, 'close');
  // Who has seen enough ends it before the end of the list.
  child.stdin.on('error', () => {});
  return withoutInterrupts(async () => {
    const isWhole = await send(pieces, child.stdin);
    await closed;
    return isWhole;
  });
}

async function send(pieces: AsyncIterable<string>, input: Writable): Promise<boolean> {
  for await (const piece of pieces) {
    if (!input.writable) return false;
    await write(piece, input).catch(() => {});
  }
  const isWhole = input.writable;
  input.end();
  return isWhole;
}
