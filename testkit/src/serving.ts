import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type Cleanup, defer } from './cleanup.ts';
import { isRefused } from './ports.ts';
import { type ProgramCopy, type ServeProcess, spawnService } from './process.ts';
import { createDirectory, REMOVAL } from './service.ts';
import { until } from './until.ts';

export async function directoryFor(t: Cleanup): Promise<string> {
  const directory = await createDirectory();
  defer(t, () => rm(directory, REMOVAL));
  return directory;
}

export async function serveFor(
  t: Cleanup,
  settings: Record<string, string>,
  copy?: ProgramCopy,
): Promise<ServeProcess> {
  const service = await spawnService(settings, copy);
  defer(t, () => endByForce(service.child));
  return service;
}

export function spawnFor(
  t: Cleanup,
  command: string,
  args: string[],
  env: Record<string, string>,
  cwd?: string,
  owner?: { uid: number; gid: number },
) {
  const child: ChildProcessWithoutNullStreams = spawn(command, args, { env, cwd, ...owner });
  defer(t, () => endByForce(child));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  /** Resolves with the exit code, after all output; null after a signal. */
  const closed = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return { child, output, closed };
}

/** Resolves with the exit code, even if the process has already exited; null after a signal. */
export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function endByForce(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function waitUntilRefused(url: string): Promise<void> {
  await until(`${url} refuses connections`, () => isRefused(Number(new URL(url).port)));
}
