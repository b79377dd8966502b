import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createAccount } from '../../server/src/domain/accounts/accounts.ts';
import { issueApiKey } from '../../server/src/domain/keys/api-keys.ts';
import { openDatabase } from '../../server/src/storage/open.ts';
import { defer } from './cleanup.ts';
import { createDatabase } from './database.ts';
import type { ServeProcess } from './process.ts';
import { openSocket, type RawReply, readReply } from './raw-http.ts';
import { directoryFor, serveFor } from './serving.ts';
import { until } from './until.ts';

export async function serveByTwo(t: TestContext, given: Record<string, string> = {}) {
  const { directory, database, tenant } = await tenantFor(t);
  const settings = { DATA_DIR: directory, DATABASE_URL: database.url, WORKERS: '2', ...given };
  return { directory, database, settings, tenant, service: await serveFor(t, settings) };
}

/** Creates a database with an account and a key, and a directory for DATA_DIR. */
export async function tenantFor(t: TestContext) {
  const directory = await directoryFor(t);
  const database = await createDatabase(directory);
  defer(t, () => database.drop());
  const opened = await openDatabase(database.url);
  const { id: accountId } = await createAccount(opened, 'Hill Country Homes');
  const asked = { accountId, name: 'Website', access: 'full', expiresAt: null, createdBy: null } as const;
  const { key, secret } = await issueApiKey(opened, asked);
  await opened.close();
  return { directory, database, tenant: { accountId, keyId: key.id, key: secret } };
}

export async function ask(socket: Socket, request: string): Promise<RawReply> {
  socket.write(request);
  const reply = await readReply(socket);
  if (reply === undefined) throw new Error(`No response to:\n${request}`);
  return reply;
}

export async function workersOf({ child }: ServeProcess): Promise<number[]> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter(Boolean).map(Number);
}

/** Opens connections until each worker has one. */
export async function openToEach(t: TestContext, service: ServeProcess): Promise<Socket[]> {
  const workers = await workersOf(service);
  const found = new Map<number, Socket>();
  await until('each worker has a connection', async () => {
    const socket = await openSocket(service.url);
    defer(t, () => socket.destroy());
    found.set(await until('a worker has accepted the connection', () => findWorker(socket, workers)), socket);
    return found.size === workers.length;
  });
  return [...found.values()];
}

/** Finds the process that holds the other end of a connection. */
async function findWorker(socket: Socket, pids: number[]): Promise<number | undefined> {
  const table = await readFile('/proc/net/tcp', 'utf8');
  const ports = [socket.remotePort, socket.localPort].map((port) => Number(port).toString(16).toUpperCase());
  const [local, remote] = ports.map((port) => `:${port.padStart(4, '0')}`);
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  const inode = rows.find(([, here, there]) => here?.endsWith(String(local)) && there?.endsWith(String(remote)))?.[9];
  for (const pid of pids) {
    if ((await filesOf(pid)).includes(`socket:[${inode}]`)) return pid;
  }
  return undefined;
}

async function filesOf(pid: number): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const names = await readdir(directory).catch(() => []);
  return await Promise.all(names.map((name) => readlink(`${directory}/${name}`).catch(() => '')));
}
