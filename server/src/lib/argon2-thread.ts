import { type Argon2Parameters, argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { setThreadPriority } from './thread-priority.ts';

export type HashResult = { tag: Uint8Array } | { error: unknown };

/** Hashing can wait for requests, searches, and imports, since a sign-in takes a tenth of a second anyway. */
const NICE = 10;

setThreadPriority(NICE);
// Results are in the order of the requests.
parentPort?.on('message', (parameters: Argon2Parameters) => {
  parentPort?.postMessage(hash(parameters));
});

function hash(parameters: Argon2Parameters): HashResult {
  try {
    return { tag: argon2Sync('argon2id', parameters) };
  } catch (error) {
    return { error };
  }
}
