import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { toShown } from './terminal.ts';

/** Lines are gathered up to about this length: one write per line would cost more than producing the line. */
const GATHERED_LENGTH_MAX = 64 * 1024;

/** Writes to `output`, and waits for a slow reader so that memory use stays constant. */
export async function write(text: string | Uint8Array, output: Writable = process.stdout): Promise<void> {
  if (!output.write(text)) await once(output, 'drain');
}

/** Writes a stream to stdout. If stdout is a terminal, unsafe control characters in bytes are replaced. */
export async function writeAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    const isForTerminal = process.stdout.isTTY && typeof piece !== 'string';
    await write(isForTerminal ? toShown(decoder.decode(piece, { stream: true })) : piece);
  }
}

export async function* gather(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let gathered = '';
  for await (const piece of pieces) {
    gathered += piece;
    if (gathered.length < GATHERED_LENGTH_MAX) continue;
    yield gathered;
    gathered = '';
  }
  if (gathered !== '') yield gathered;
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Exits without an error when the reader of a pipe, such as `head`, closes it. */
export function exitQuietlyOnClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    note(`error: Cannot write the output: ${error.message}`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}
