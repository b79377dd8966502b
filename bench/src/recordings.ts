import { readFileSync, writeFileSync } from 'node:fs';
import type { Call, Reply } from './requests.ts';

export type Recording = { call: Call; reply: Reply };

type Stored = { name: string; status: number; headers: string[]; isStreamed: boolean; offset: number; length: number };
type StoredReply = Reply & { isStreamed: boolean };

/** Headers that `node:http` adds itself, in both servers. */
const CONNECTION_HEADERS = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

export function recordingName(method: string | undefined, path: string | undefined, isConditional: boolean): string {
  return `${method} ${path}${isConditional ? ' if changed' : ''}`;
}

/** Writes the recordings for the bare server: an index in `file`, and all bodies in a second file. */
export function writeRecordings(file: string, recordings: readonly Recording[]): void {
  let offset = 0;
  const stored = recordings.map(({ call, reply }): Stored => {
    const start = offset;
    offset += reply.body.length;
    return {
      name: recordingName(call.method, call.path, call.ifNoneMatch !== undefined),
      status: reply.status,
      headers: withoutConnectionHeaders(reply.headers),
      isStreamed: reply.headers.some((text) => text.toLowerCase() === 'transfer-encoding'),
      offset: start,
      length: reply.body.length,
    };
  });
  writeFileSync(bodiesFile(file), Buffer.concat(recordings.map(({ reply }) => reply.body)));
  writeFileSync(file, JSON.stringify(stored));
}

export function readRecordings(file: string): Map<string, StoredReply> {
  const bodies = readFileSync(bodiesFile(file));
  const stored: Stored[] = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(
    stored.map(({ name, offset, length, ...reply }) => [
      name,
      { ...reply, body: bodies.subarray(offset, offset + length) },
    ]),
  );
}

function bodiesFile(file: string): string {
  return `${file}.bodies`;
}

function withoutConnectionHeaders(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !CONNECTION_HEADERS.has((headers[index - (index % 2)] ?? '').toLowerCase()));
}
