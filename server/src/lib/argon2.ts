import type { Argon2Parameters } from 'node:crypto';
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { HashResult } from './argon2-thread.ts';
import { onExit, startThread } from './threads.ts';

const THREAD_FILE = new URL(`./argon2-thread${extname(import.meta.filename)}`, import.meta.url);

/** In the order in which the thread responds. */
const waiting: PromiseWithResolvers<Buffer>[] = [];
let thread: Worker | undefined;

/**
 * Computes an Argon2id tag (RFC 9106) on a dedicated thread, one at a time. In Node.js's thread pool,
 * concurrent hashes would occupy all processors, and each thread would keep the memory that its hash needed.
 */
export function hashArgon2id(parameters: Argon2Parameters): Promise<Buffer> {
  const hash = Promise.withResolvers<Buffer>();
  thread ??= start();
  thread.ref();
  thread.postMessage(parameters);
  waiting.push(hash);
  return hash.promise;
}

function start(): Worker {
  const worker = startThread(THREAD_FILE);
  worker.on('message', settle);
  onExit(worker, (reason = new Error('the password hashing thread has exited')) => {
    thread = undefined;
    for (const { reject } of waiting.splice(0)) reject(reason);
  });
  return worker;
}

function settle(result: HashResult): void {
  const hash = waiting.shift();
  // An idle thread does not keep the process alive.
  if (waiting.length === 0) thread?.unref();
  if ('error' in result) hash?.reject(result.error);
  else hash?.resolve(Buffer.from(result.tag));
}
