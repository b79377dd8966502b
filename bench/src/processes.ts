import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../testkit/src/ports.ts';
import type { Cores } from './machine.ts';

export type Server = {
  pid: number;
  port: number;
  /** The cores that the server and its driver are pinned to. */
  cores: string | undefined;
  stop(): Promise<void>;
};

/** A Node.js program to start. */
export type Command = {
  args: string[];
  env?: Record<string, string>;
  /** The cores to use, in the syntax of `taskset`. Default: all cores. */
  cores?: string | undefined;
};

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 2;
const LOG_END_BYTES = 2000;

const children = new Set<ChildProcess>();

export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Runs a program to its end. @returns its stdout @throws with its output if it fails */
export async function run(command: Command): Promise<string> {
  const child = start(command, ['ignore', 'pipe', 'pipe']);
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`${command.args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/**
 * Starts a program that listens on `PORT`, and waits until it accepts connections. The log goes to a file,
 * because a pipe would cost the driver a read per request.
 */
export async function startServer(
  { args, env }: Omit<Command, 'cores'>,
  cores: Cores | undefined,
  logFile: string,
): Promise<Server> {
  const port = await findFreePort();
  const log = openSync(logFile, 'w');
  const startedAt = performance.now();
  const command = { args, env: { ...env, PORT: String(port) }, cores: cores?.server };
  const child = start(command, ['ignore', log, log]);
  closeSync(log);
  const exited = once(child, 'exit');
  while (performance.now() - startedAt < START_TIMEOUT_MS && child.exitCode === null && child.signalCode === null) {
    if (child.pid !== undefined && (await isListening(port))) {
      return { pid: child.pid, port, cores: cores?.all, stop: () => stop(child, exited) };
    }
    await sleep(POLL_MS);
  }
  throw new Error(`${args.join(' ')} exited or did not listen within ${START_TIMEOUT_MS / 1000} s`);
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export function readLogEnd(logFile: string): string {
  const log = openSync(logFile, 'r');
  const end = Buffer.alloc(LOG_END_BYTES);
  const length = readSync(log, end, 0, end.length, Math.max(0, fstatSync(log).size - end.length));
  closeSync(log);
  return end.toString('utf8', 0, length);
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const late = sleep(STOP_TIMEOUT_MS, 'late', { ref: false });
  const isLate = (await Promise.race([exited, late])) === 'late';
  if (!isLate && child.exitCode === 0) return;
  const outcome = isLate
    ? `was still running ${STOP_TIMEOUT_MS / 1000} s after SIGTERM`
    : `exited with ${child.exitCode ?? child.signalCode} after SIGTERM`;
  throw new Error(`${child.spawnargs.join(' ')} ${outcome}`);
}

function start({ args, env, cores }: Command, stdio: ('ignore' | 'pipe' | number)[]): ChildProcess {
  const line = [process.execPath, ...args];
  const [program = '', ...rest] = cores === undefined ? line : ['taskset', '-c', cores, ...line];
  const child = spawn(program, rest, { stdio, env: { ...process.env, ...env } });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}
