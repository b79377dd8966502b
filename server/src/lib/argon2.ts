import type { Argon2Parameters } from 'node:crypto';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HashRequest, HashResult } from './argon2-thread.ts';

/** With the extension of this file, which a build changes. */
const THREAD_FILE = new URL(`./argon2-thread${extname(import.meta.filename)}`, import.meta.url);

const waiting = new Map<number, PromiseWithResolvers<Buffer>>();
let thread: Worker | undefined;
let lastId = 0;

/**
 * The tag of Argon2id (RFC 9106), computed in a thread of its own, one at a time. In the thread pool of Node.js,
 * several hashes would take all processors, and each thread would keep the memory of its hash.
 */
export function hashArgon2id(parameters: Argon2Parameters): Promise<Buffer> {
  lastId += 1;
  const hash = Promise.withResolvers<Buffer>();
  waiting.set(lastId, hash);
  thread ??= start();
  thread.ref();
  thread.postMessage({ id: lastId, parameters } satisfies HashRequest);
  return hash.promise;
}

function start(): Worker {
  // Under `node --watch`, the thread would report its imports, which would be taken for results.
  const env = { ...process.env, WATCH_REPORT_DEPENDENCIES: '' };
  const worker = new Worker(THREAD_FILE, { env });
  let reason: unknown = new Error('the password hashing thread ended');
  worker.on('message', settle);
  worker.on('error', (error) => {
    reason = error;
  });
  worker.on('exit', () => {
    thread = undefined;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  });
  return worker;
}

function settle(result: HashResult): void {
  const hash = waiting.get(result.id);
  waiting.delete(result.id);
  // An idle thread does not keep the process alive.
  if (waiting.size === 0) thread?.unref();
  if ('error' in result) hash?.reject(result.error);
  else hash?.resolve(Buffer.from(result.tag));
}
