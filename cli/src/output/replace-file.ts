import { createWriteStream, rmSync } from 'node:fs';
import { chmod, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError } from '../exit-codes.ts';

/**
 * Replaces a file only when its new content is complete. Pipes and devices are written to directly. Without
 * `mode`, an existing file keeps its mode.
 */
export async function replaceFile(
  path: string,
  pieces: Iterable<string> | AsyncIterable<string | Uint8Array>,
  mode?: number,
): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  if (before !== undefined && !before.isFile()) return pipeline(pieces, createWriteStream(path));
  // Keep a symbolic link and replace its target.
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  const remove = () => rmSync(draft, { force: true });
  process.once('exit', remove);
  try {
    await writeFile(draft, pieces, { mode: mode ?? before?.mode ?? 0o666, flush: true });
    // Undo the effect of the umask, which must not change the mode of an existing file.
    if (before !== undefined) await chmod(draft, mode ?? before.mode);
    await rename(draft, target);
  } catch (error) {
    // An error without a `syscall` member came from the source of the pieces, not from the file system.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    // Omit the draft's name, which means nothing to the user.
    throw new CommandError(`Cannot write ${path}: ${error.message.replace(/, \w+ '.*$/s, '')}`);
  } finally {
    remove();
    process.off('exit', remove);
  }
}
