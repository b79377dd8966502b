import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { toShown } from './terminal.ts';

/** Pieces are gathered so far: a write for each line would cost more than the line. */
const GATHERED_LENGTH_MAX = 64 * 1024;

/** Waits while the reader is slower, so that nothing piles up in memory. */
export async function write(text: string | Uint8Array, output: Writable = process.stdout): Promise<void> {
  if (!output.write(text)) await once(output, 'drain');
}

/** Writes a text of any length that comes in pieces. */
export async function writeAll(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    const isForPeople = process.stdout.isTTY && typeof piece !== 'string';
    await write(isForPeople ? toShown(decoder.decode(piece, { stream: true })) : piece);
  }
}

/** The same text in fewer pieces. */
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

/** A line for a person, beside the output. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A reader who has seen enough (`| head`) ends the command without a word. */
export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    note(`error: the output cannot be written: ${error.message}`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}
