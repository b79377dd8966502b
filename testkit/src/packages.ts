import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnvironment, REPOSITORY } from './process.ts';

const run = promisify(execFile);
/** The maximum output of `npm pack`, which lists hundreds of files and exceeds the default limit. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  dependencies?: Record<string, string>;
  [member: string]: unknown;
}

export interface PackedWorkspace {
  name: string;
  tarball: string;
  files: string[];
}

export interface UnpackedWorkspace extends PackedWorkspace {
  workspace: string;
  directory: string;
  manifest: Manifest;
}

export async function readManifest(directory: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
}

export async function findPublishedWorkspaces(): Promise<string[]> {
  const { workspaces } = await readManifest(REPOSITORY);
  const names = Array.isArray(workspaces) ? workspaces.map(String) : [];
  const manifests = await Promise.all(names.map((name) => readManifest(join(REPOSITORY, name))));
  return names.filter((_, index) => manifests[index]?.private !== true);
}

export async function packWorkspace(workspace: string, directory: string): Promise<PackedWorkspace> {
  const args = ['pack', '-w', workspace, '--pack-destination', directory, '--json', '--silent'];
  const { stdout } = await run('npm', args, { cwd: REPOSITORY, env: bareEnvironment({}), maxBuffer: OUTPUT_BYTES_MAX });
  const [packed] = Object.values<{ name: string; filename: string; files: { path: string }[] }>(JSON.parse(stdout));
  if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
  const { name, filename, files } = packed;
  return { name, tarball: join(directory, filename), files: files.map(({ path }) => path) };
}

/** Packs workspaces, and unpacks them into one directory together with their dependencies. */
export async function unpackWorkspaces(workspaces: string[], root: string): Promise<UnpackedWorkspace[]> {
  const unpacked: UnpackedWorkspace[] = [];
  // Not in parallel, because packing the CLI also builds the client.
  for (const workspace of workspaces) unpacked.push(await unpack(workspace, root));
  for (const { workspace, manifest } of unpacked) {
    for (const name of Object.keys(manifest.dependencies ?? {})) await link(name, workspace, root);
  }
  return unpacked;
}

async function unpack(workspace: string, root: string): Promise<UnpackedWorkspace> {
  const packed = await packWorkspace(workspace, root);
  const directory = join(root, 'node_modules', packed.name);
  await mkdir(directory, { recursive: true });
  await run('tar', ['-xzf', packed.tarball, '-C', directory, '--strip-components=1']);
  return { ...packed, workspace, directory, manifest: await readManifest(directory) };
}

/** Links a dependency. If the workspace has its own version in its `node_modules`, that version is linked. */
async function link(name: string, workspace: string, root: string): Promise<void> {
  const place = join(root, 'node_modules', name);
  if (existsSync(place)) return;
  const own = join(REPOSITORY, workspace, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(existsSync(own) ? own : join(REPOSITORY, 'node_modules', name), place);
}
