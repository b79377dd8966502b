import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { importRows } from '../../service.ts';

export interface Probe {
  without: number[];
  during: number[];
}

/** Enough listings that a backup takes a while. */
export async function fill(url: string, key: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => {
    const description = randomBytes(200).toString('hex');
    return JSON.stringify({ address: `${index} Elm Street`, beds: 3, baths: 2, description });
  });
  await importRows(url, key, rows);
}

export function startProbe(url: string, key: string) {
  const probe: Probe = { without: [], during: [] };
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2 });
  let isFinished = false;
  /** Times of writes that overlap the backup. */
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
  // `begin` and `end` report the error.
  ended.catch(() => {});
  return {
    ...probe,
    /** Marks the start of a backup. @returns its end, which gives the longest overlapping write */
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
