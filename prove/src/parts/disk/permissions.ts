import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { defer } from '../../../../testkit/src/cleanup.ts';
import { mount, whyNoMounts } from '../../../../testkit/src/mounts.ts';
import { findNobody, isOpen } from '../../../../testkit/src/postgres-programs.ts';
import { SOURCE_PROGRAM } from '../../../../testkit/src/process.ts';
import { directoryFor } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import { spawnServe } from '../../service.ts';

type User = Awaited<ReturnType<typeof findNobody>>;

interface Ban {
  what: string;
  do(directory: string): void;
  isSmall?: true;
}

const bans: readonly Ban[] = [
  { what: 'the file is read-only', do: (directory) => chmodSync(join(directory, 'listings.db'), 0o444), isSmall: true },
  { what: 'the file is not readable', do: (directory) => chmodSync(join(directory, 'listings.db'), 0o000) },
  { what: 'the directory is read-only', do: (directory) => chmodSync(directory, 0o555) },
  { what: 'the directory is not accessible', do: (directory) => chmodSync(directory, 0o000) },
];

/** Starts the service on copies of a database without permissions. @returns the failed starts and what was not tried */
export async function takeRights(trial: Trial, original: string): Promise<{ refused: number; skipped: string[] }> {
  const isRoot = process.getuid?.() === 0;
  const skipped: string[] = [];
  let refused = 0;
  const tryAs = async (what: string, user: User, spoil: (directory: string) => void) => {
    const directory = await directoryFor(trial);
    await cp(original, directory, { recursive: true });
    const paths = [directory, ...readdirSync(directory).map((name) => join(directory, name))];
    if (user !== undefined) for (const path of paths) chownSync(path, user.uid, user.gid);
    spoil(directory);
    trial.say(what);
    const said = await startAs(trial, directory, user);
    assert.ok(said !== undefined, `${what}: a read-only database is served`);
    assert.match(said, /^error: [^\n]* must belong to the user that runs this[^\n]*\n$/, `${what}: ${said}`);
    assert.ok(said.includes(directory), `${what}: the error does not name the file: ${said}`);
    refused += 1;
  };
  if (isRoot && ![SOURCE_PROGRAM, process.execPath].every(isOpen)) {
    skipped.push('permissions, because only root can run the program, and permissions do not apply to root');
  } else {
    const user = isRoot ? await findNobody() : undefined;
    for (const { what, do: ban } of bans.filter(({ isSmall }) => isSmall || trial.size === 'full')) {
      await tryAs(what, user, ban);
    }
  }
  const whyNot = whyNoMounts();
  if (whyNot !== undefined) skipped.push(`a read-only disk: ${whyNot}`);
  else
    await tryAs('the disk is read-only', undefined, (directory) => {
      defer(trial, mount(directory, ['--bind'], directory));
      execFileSync('mount', ['-o', 'remount,bind,ro', directory]);
    });
  return { refused, skipped };
}

/** Starts the service, and kills it if it starts. @returns the error output; undefined if it starts */
async function startAs(trial: Trial, directory: string, user: User): Promise<string | undefined> {
  const { child, output, closed } = spawnServe(trial, { DATA_DIR: directory }, '/', user);
  const isServing = () => output.stdout.includes('"msg":"listening"');
  child.stdout.on('data', () => isServing() && child.kill('SIGKILL'));
  await closed;
  return isServing() ? undefined : output.stderr;
}
