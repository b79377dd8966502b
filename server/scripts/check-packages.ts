// Packs what is published and has publint and "Are the types wrong?" look at it, as who installs it would find it.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPublishedWorkspaces, packWorkspace, readManifest } from '../../testkit/src/packages.ts';
import { REPOSITORY } from '../../testkit/src/process.ts';
import { createDirectory } from '../../testkit/src/service.ts';

const directory = await createDirectory();
try {
  for (const workspace of await findPublishedWorkspaces()) {
    const { tarball } = await packWorkspace(workspace, directory);
    check('publint', ['run', '--strict', tarball]);
    // The packages are ES modules: nothing asks for them by `require` but a Node.js that can load them so.
    if (await hasTypes(workspace)) check('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii']);
  }
} finally {
  rmSync(directory, { recursive: true });
}

/** A program has none. */
async function hasTypes(workspace: string): Promise<boolean> {
  const { types } = await readManifest(join(REPOSITORY, workspace));
  return types !== undefined;
}

function check(program: string, args: string[]): void {
  const { status } = spawnSync(join(REPOSITORY, 'node_modules/.bin', program), args, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
