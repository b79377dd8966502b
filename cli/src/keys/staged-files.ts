import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandError, EXIT } from '../exit-codes.ts';

/** What `git commit` would write of a file, which need not be what lies in the directory. */
export interface StagedFile {
  path: string;
  /** Git's name of the content. */
  blob: string;
}

/** Each file of its own, not as another one's new name; a submodule's entry (160000) has no content here. */
const LIST = 'diff --cached --raw --no-abbrev --no-renames --no-relative --no-ext-diff --ignore-submodules -z';
const LIST_BYTES_MAX = 1024 * 1024 * 1024;
const ENTRY = /:\d+ (\d+) \w+ (\w+) [ACMT]\0([^\0]+)\0/g;
const SUBMODULE = '160000';

/** The files that the next commit adds or changes, by their paths from the top of the repository. */
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
  if (code === 'ENOENT') return 'What is staged cannot be read: git is not installed.';
  // Outside a repository git shows all that `diff` takes instead of saying so.
  const [words = ''] = (stderr ?? '').split('\n', 1);
  return /not a git repository|unknown option|usage:/i.test(stderr ?? '')
    ? 'Nothing is staged here: this is no git repository.'
    : `What is staged cannot be read: ${words}`;
}

/** The content as it is stored, in pieces. @throws if git does not give all of it */
export async function* readBlob(blob: string): AsyncGenerator<Buffer> {
  const child = spawn('git', ['cat-file', 'blob', blob], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  yield* child.stdout;
  const code = await ended;
  if (code !== 0) throw new Error(`git cat-file ended with ${code}`);
}
