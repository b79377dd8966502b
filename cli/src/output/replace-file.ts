import { createWriteStream, rmSync } from 'node:fs';
import { chmod, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../exit-codes.ts';

/**
 * Writes a file that is there only once it is whole: it grows under another name beside it. What is no file (a pipe, a
 * device) is written to.
 */
export async function replaceFile(path: string, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  if (before !== undefined && !before.isFile()) return pipeline(pieces, createWriteStream(path));
  // A link stays one, and leads to the new content.
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  const remove = () => rmSync(draft, { force: true });
  process.once('exit', remove);
  try {
    await writeFile(draft, pieces, { mode: before?.mode ?? 0o666, flush: true });
    // A new file's mode is what the umask leaves.
    if (before !== undefined) await chmod(draft, before.mode);
    await rename(draft, target);
  } catch (error) {
    // What reads the pieces has errors of its own.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    // Without the name of the draft, which nobody knows.
    throw new CommandError(`${path} cannot be written: ${error.message.replace(/, \w+ '.*$/s, '')}`);
  } finally {
    remove();
    process.off('exit', remove);
  }
}
