import { type Argon2Parameters, argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { setThreadPriority } from './thread-priority.ts';

export interface HashRequest {
  id: number;
  parameters: Argon2Parameters;
}

export type HashResult = { id: number } & ({ tag: Uint8Array } | { error: unknown });

/** Hashing can wait for requests, searches, and imports, since a sign-in takes a tenth of a second anyway. */
const NICE = 10;

setThreadPriority(NICE);
parentPort?.on('message', ({ id, parameters }: HashRequest) => {
  parentPort?.postMessage(hash(id, parameters));
});

function hash(id: number, parameters: Argon2Parameters): HashResult {
  try {
    return { id, tag: argon2Sync('argon2id', parameters) };
  } catch (error) {
    return { id, error };
  }
}
