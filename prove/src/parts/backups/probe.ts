import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { NDJSON } from '../../../../server/test/support/imports.ts';

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
  let times = probe.without;
  let isFinished = false;
  const run = async (): Promise<void> => {
    while (!isFinished) {
      const phase = times;
      const startTimeMs = performance.now();
      const response = await fetch(`${url}/v1/listings`, { method: 'POST', headers, body });
      const text = await response.text();
      assert.equal(response.status, 201, `a write was refused: ${text}`);
      if (times === phase) phase.push(performance.now() - startTimeMs);
    }
  };
  const ended = run();
  return {
    ...probe,
    /** A backup begins. @returns what to call at its end */
    begin() {
      times = probe.during;
      return () => {
        times = probe.without;
      };
    },
    end() {
      isFinished = true;
      return ended;
    },
  };
}
