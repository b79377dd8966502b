import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnvironment, REPOSITORY } from './process.ts';
import { createDirectory } from './service.ts';

const run = promisify(execFile);
/** The names of a package's hundreds of files are longer than the default. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  [member: string]: unknown;
}

/** What `npm pack` makes of a workspace, unpacked into the `node_modules` of an empty directory. */
export interface UnpackedPackage {
  /** Has `node_modules`. */
  root: string;
  directory: string;
  manifest: Manifest;
  /** The paths of all files in it. */
  files: string[];
}

/** Packs a workspace as it is published. Beside the package lies what it says it depends on, and nothing else of this repository's. */
export async function packWorkspace(workspace: string): Promise<UnpackedPackage> {
  const root = await createDirectory();
  const args = ['pack', '-w', workspace, '--pack-destination', root, '--json', '--silent'];
  const { stdout } = await run('npm', args, { cwd: REPOSITORY, env: bareEnvironment({}), maxBuffer: OUTPUT_BYTES_MAX });
  const [packed] = Object.values<{ name: string; filename: string; files: { path: string }[] }>(JSON.parse(stdout));
  if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
  const directory = join(root, 'node_modules', packed.name);
  await mkdir(directory, { recursive: true });
  await run('tar', ['-xzf', join(root, packed.filename), '-C', directory, '--strip-components=1']);
  const manifest = await readManifest(directory);
  for (const name of Object.keys(manifest.dependencies ?? {})) await link(name, workspace, root);
  return { root, directory, manifest, files: packed.files.map(({ path }) => path) };
}

export async function readManifest(directory: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
}

/** What a workspace needs in another version than the others lies in its own directory. */
async function link(name: string, workspace: string, root: string): Promise<void> {
  const own = join(REPOSITORY, workspace, 'node_modules', name);
  const place = join(root, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(existsSync(own) ? own : join(REPOSITORY, 'node_modules', name), place);
}
