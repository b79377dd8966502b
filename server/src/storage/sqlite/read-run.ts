import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { Run } from '../runs.ts';
import { textBytes } from '../statements.ts';

/**
 * Reads rows as arrays, up to the row that brings the total size of the strings above `bytesMax`. A row takes
 * 1.5 times as long as with `.all()`. Leaving the loop resets the statement, so that no cursor stays open.
 */
export function readRun(statement: StatementSync, values: SQLInputValue[], bytesMax: number): Run<unknown[]> {
  const rows: unknown[][] = [];
  let bytes = 0;
  for (const row of begin(statement, values)) {
    const cells = row as unknown as unknown[];
    rows.push(cells);
    bytes += textBytes(cells);
    if (bytes > bytesMax) return { rows, isCut: true };
  }
  return { rows, isCut: false };
}

/** Repeats a call that throws, since the first call after a failed one only reports the failure again. */
function begin(statement: StatementSync, values: SQLInputValue[]) {
  try {
    return statement.iterate(...values);
  } catch {
    return statement.iterate(...values);
  }
}
