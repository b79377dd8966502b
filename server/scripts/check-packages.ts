// Packs the published workspaces and checks them with publint and "Are the types wrong?".
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
    // The packages are ES modules, which every supported version of Node.js can `require`.
    const { types } = await readManifest(join(REPOSITORY, workspace));
    if (types !== undefined) check('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii']);
  }
} finally {
  rmSync(directory, { recursive: true });
}

function check(program: string, args: string[]): void {
  const { status } = spawnSync(join(REPOSITORY, 'node_modules/.bin', program), args, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
