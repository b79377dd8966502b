import { cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { REPOSITORY } from '../../../testkit/src/process.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';

/** Copies the program into a directory; the repository's name in `manifest` makes it a clone. */
export async function copyProgram(t: TestContext, manifest: object) {
  const directory = await realpath(await directoryFor(t));
  const root = join(directory, 'root');
  const elsewhere = join(directory, 'elsewhere');
  await mkdir(join(root, 'server'), { recursive: true });
  await mkdir(elsewhere);
  for (const part of ['bin', 'src', 'package.json']) {
    await cp(join(REPOSITORY, 'server', part), join(root, 'server', part), { recursive: true });
  }
  // npm installs some packages in the workspace's own directory.
  for (const part of ['.', 'server']) {
    await symlink(join(REPOSITORY, part, 'node_modules'), join(root, part, 'node_modules'));
  }
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
  return { root, elsewhere, program: join(root, 'server', 'bin', 'property-listings.js') };
}
