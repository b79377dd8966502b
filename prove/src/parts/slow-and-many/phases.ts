import { readFileSync } from 'node:fs';
import type { Trial } from '../../part.ts';
import type { Crowd } from './visitors.ts';

/** Crowds that come together, and how long they stay at least. */
export interface Phase {
  name: string;
  crowds: readonly Crowd[];
  seconds: number;
  /** Of the service, for all of them. */
  growthMaxBytes: number;
}

const IDLE = 10_000;
/** Files that this process and the service need besides. */
const OTHER_FILES = 1_500;
/** Of the garbage that normal requests leave until it is collected. */
const NOISE_BYTES = 100e6;
const IDLE_BYTES = 25e3;
const DEAF_BYTES = 1.5e6;

/** How many files a process may have open, as the system says; Node.js takes all that it is let. */
function readFilesMax(): number {
  const [, most] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
}

export function phasesOf({ size }: Trial, key: string): { phases: Phase[]; skipped: string[] } {
  if (size === 'small') return { phases: [all(key)], skipped: [] };
  const filesMax = readFilesMax();
  const idleCount = Math.min(IDLE, filesMax - OTHER_FILES);
  const minute = { seconds: 60 };
  const phases = [
    {
      name: `${idleCount} idle connections and 500 that never send a byte`,
      crowds: [idle(idleCount), silent(500)],
      growthMaxBytes: NOISE_BYTES + idleCount * IDLE_BYTES,
      ...minute,
    },
    {
      name: '1,000 that send a byte a second, half of them in the head and half in the body',
      crowds: [heads(500), bodies(500, key)],
      growthMaxBytes: NOISE_BYTES + 1_000 * IDLE_BYTES,
      ...minute,
    },
    {
      name: '200 that ask for the whole list and never read it',
      crowds: [deaf(200, key)],
      growthMaxBytes: NOISE_BYTES + 200 * DEAF_BYTES,
      ...minute,
    },
  ];
  const skipped = `${IDLE - idleCount} of ${IDLE} idle connections, as this machine lets a process open ${filesMax} files.`;
  return { phases, skipped: idleCount < IDLE ? [skipped] : [] };
}

/** In the small form they come together. */
function all(key: string): Phase {
  const crowds = [idle(300), silent(50), heads(50), bodies(50, key), deaf(40, key)];
  return { name: 'all at once', crowds, seconds: 2, growthMaxBytes: NOISE_BYTES + 40 * DEAF_BYTES };
}

function idle(count: number): Crowd {
  return { name: 'idle', count, greeting: 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n' };
}

function silent(count: number): Crowd {
  return { name: 'silent', count, greeting: '' };
}

function heads(count: number): Crowd {
  return { name: 'slow heads', count, greeting: '', slowly: 'GET /livez HTTP/1.1\r\nHost: a', isStubborn: true };
}

function bodies(count: number, key: string): Crowd {
  const lines = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Content-Length: 5000'];
  const greeting = `POST /v1/listings HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`;
  return { name: 'slow bodies', count, greeting, slowly: '{"address":"slow","beds":3,"baths":2} ' };
}

export const DEAF_ID = 'deaf';

function deaf(count: number, key: string): Crowd {
  const lines = [`Authorization: Bearer ${key}`, `X-Request-Id: ${DEAF_ID}`, 'Accept: application/x-ndjson'];
  const greeting = `GET /v1/listings HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`;
  return { name: 'deaf', count, greeting, isDeaf: true };
}
