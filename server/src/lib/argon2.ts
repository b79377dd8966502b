import type { Argon2Parameters } from 'node:crypto';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HashAnswer, HashRequest } from './argon2-thread.ts';

/** With this file's own ending, which a build changes. */
const THREAD_FILE = new URL(`./argon2-thread${extname(import.meta.filename)}`, import.meta.url);

const waiting = new Map<number, PromiseWithResolvers<Buffer>>();
let thread: Worker | undefined;
let lastId = 0;

/**
 * The tag of Argon2id (RFC 9106), worked out in a thread of its own, one after the other. In the threads that Node.js has for
 * such things, several would take the processors from all else, and each thread would keep the memory of its hash.
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
  // `node --watch` would have the thread say what it imports, which would be taken for an answer.
  const env = { ...process.env, WATCH_REPORT_DEPENDENCIES: '' };
  const worker = new Worker(THREAD_FILE, { env });
  let reason: unknown = new Error('the thread that hashes passwords has ended');
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

function settle(answer: HashAnswer): void {
  const hash = waiting.get(answer.id);
  waiting.delete(answer.id);
  // It keeps no process from its end.
  if (waiting.size === 0) thread?.unref();
  if ('error' in answer) hash?.reject(answer.error);
  else hash?.resolve(Buffer.from(answer.tag));
}
