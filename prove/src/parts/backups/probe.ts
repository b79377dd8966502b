import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { NDJSON } from '../../../../testkit/src/imports.ts';

/** How long writes took, in milliseconds. */
export interface Probe {
  without: number[];
  during: number[];
}

/** Brings so many listings into an account: a backup of a few would be over at once. */
export async function fill(url: string, key: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      address: `${index} Elm Street`,
      beds: 3,
      baths: 2,
      description: randomBytes(200).toString('hex'),
    }),
  );
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': NDJSON };
  const response = await fetch(`${url}/v1/imports`, { method: 'POST', headers, body: rows.join('\n') });
  const text = await response.text();
  assert.equal(JSON.parse(text).created, count, text);
}

/** Creates one listing after the other and takes the time of each, until told. */
export function startProbe(url: string, key: string) {
  const probe: Probe = { without: [], during: [] };
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
  let isFinished = false;
  /** The times of the writes that a backup touches, if only at their beginning or their end. */
  let touched: number[] | undefined;
  let current: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const atStart = touched;
    const startTimeMs = performance.now();
    const response = await fetch(`${url}/v1/listings`, { method: 'POST', headers, body });
    const text = await response.text();
    assert.equal(response.status, 201, `a write was refused: ${text}`);
    const durationMs = performance.now() - startTimeMs;
    const times = atStart ?? touched;
    times?.push(durationMs);
    (times === undefined ? probe.without : probe.during).push(durationMs);
  };
  const run = async (): Promise<void> => {
    while (!isFinished) {
      current = write();
      await current;
    }
  };
  const ended = run();
  // Whoever has begun it hears of it at the end of a backup, or of the probe.
  ended.catch(() => {});
  return {
    ...probe,
    /** A backup begins. @returns what to call at its end: it tells how long the longest write took that the backup touched */
    begin() {
      const times: number[] = [];
      touched = times;
      return async () => {
        touched = undefined;
        await current;
        return Math.max(...times);
      };
    },
    end() {
      isFinished = true;
      return ended;
    },
  };
}
