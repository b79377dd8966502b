import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { Run } from '../database.ts';

/**
 * Reads rows as arrays, up to the one with which their texts exceed `bytesMax`. Half as slow again for each row as
 * `.all()`. Leaving the loop ends the statement: no cursor stays open.
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

/** A run that failed is told once more when the statement is begun anew, which has done nothing then. */
function begin(statement: StatementSync, values: SQLInputValue[]) {
  try {
    return statement.iterate(...values);
  } catch {
    return statement.iterate(...values);
  }
}

function textBytes(values: unknown[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}
