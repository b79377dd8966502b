import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandError, EXIT } from '../exit-codes.ts';

/** A file as `git commit` would store it. Its content may differ from that in the working directory. */
export interface StagedFile {
  path: string;
  /** Git's object ID of the content. */
  blob: string;
}

/** Lists renamed files under their new names. The separator is NUL, because a path may contain any other byte. */
const LIST = 'diff --cached --raw --no-abbrev --no-renames --no-relative --no-ext-diff --ignore-submodules -z';
const LIST_BYTES_MAX = 1024 * 1024 * 1024;
const ENTRY = /:\d+ (\d+) \w+ (\w+) [ACMT]\0([^\0]+)\0/g;
/** The mode of a submodule, which does not have content in this repository. */
const SUBMODULE = '160000';

/** The files that the next commit adds or changes; their paths are relative to the top of the repository. */
export async function stagedFiles(): Promise<StagedFile[]> {
  const options = { maxBuffer: LIST_BYTES_MAX };
  const { stdout } = await promisify(execFile)('git', LIST.split(' '), options).catch((error) => {
    throw new CommandError(describeFailure(error), EXIT.usage);
  });
  return [...stdout.matchAll(ENTRY)].flatMap(([, mode, blob = '', path = '']) =>
    mode === SUBMODULE ? [] : [{ path, blob }],
  );
}

function describeFailure({ code, stderr }: { code?: unknown; stderr?: string }): string {
  if (code === 'ENOENT') return 'Cannot read staged files: git is not installed.';
  // Outside a repository, `git diff` prints its usage instead of an error.
  const [words = ''] = (stderr ?? '').split('\n', 1);
  return /not a git repository|unknown option|usage:/i.test(stderr ?? '')
    ? 'Cannot read staged files: this directory is not in a git repository.'
    : `Cannot read staged files: ${words}`;
}

/** Streams the content with this object ID. @throws if git fails before the end */
export async function* readBlob(blob: string): AsyncGenerator<Buffer> {
  const child = spawn('git', ['cat-file', 'blob', blob], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  yield* child.stdout;
  const code = await ended;
  if (code !== 0) throw new Error(`git cat-file exited with ${code}`);
}
