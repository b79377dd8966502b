import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { write, writeAll } from './standard-output.ts';

/** Shows a long text by the user's pager, if there is one; it ends with what the user has seen of it. */
export async function page(pieces: AsyncIterable<string>): Promise<void> {
  const pager = process.env.PAGER;
  if (!pager || pager === 'cat') return writeAll(pieces);
  // `less` ends by itself where one screen is enough (F), and shows colours (R).
  const env = { LESS: 'FRX', ...process.env };
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  const closed = once(child, 'close');
  let isOpen = true;
  child.stdin.on('error', () => {
    isOpen = false;
  });
  child.stdin.once('close', () => child.stdin.emit('drain'));
  // Ctrl-C is the pager's.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  for await (const piece of pieces) {
    if (!isOpen) break;
    await write(piece, child.stdin);
  }
  child.stdin.end();
  await closed;
  process.off('SIGINT', ignore);
}
