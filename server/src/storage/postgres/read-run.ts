import type pg from 'pg';
import { textBytes } from '../statements.ts';
import { type Query, type Result, send } from './connection.ts';

/** Rows of the first fetch. Each further fetch doubles the rows read, so large rows are not fetched far ahead. */
const FETCH_LENGTH = 32;
const CURSOR = 'run';

export interface ResultRun extends Result {
  isCut: boolean;
}

/** Reads rows from a cursor in the open transaction. Stops as `executeRun` does. */
export async function readRun(client: pg.ClientBase, query: Query, bytesMax: number): Promise<ResultRun> {
  const fetch = (count: number) => send(client, { ...query, text: `fetch ${count} from ${CURSOR}`, values: [] });
  const declared = send(client, { ...query, text: `declare ${CURSOR} no scroll cursor for ${query.text}` });
  const [, first] = await Promise.all([declared, fetch(FETCH_LENGTH)]);
  const rows: unknown[][] = [];
  let result = first;
  let bytes = 0;
  for (let wanted = FETCH_LENGTH; ; wanted = rows.length) {
    for (const row of result.rows) {
      rows.push(row);
      bytes += textBytes(row);
      if (bytes > bytesMax) break;
    }
    const isCut = bytes > bytesMax;
    if (isCut || result.rows.length < wanted) {
      // Not awaited, since the connection runs later statements after it.
      send(client, { text: `close ${CURSOR}` }).catch(() => {});
      return { ...first, rows, isCut };
    }
    result = await fetch(rows.length);
  }
}
