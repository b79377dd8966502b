import type pg from 'pg';
import { type Answer, type Query, send } from './connection.ts';

/** So many rows are fetched at first, and then twice as many as there are: few when they turn out to be large. */
const FETCH_LENGTH = 32;
const CURSOR = 'run';

export interface AnswerRun extends Answer {
  isCut: boolean;
}

/**
 * Reads rows up to the one with which their texts exceed `bytesMax`, within a transaction. A cursor of the server's hands
 * them out.
 */
export async function readRun(client: pg.ClientBase, query: Query, bytesMax: number): Promise<AnswerRun> {
  const fetch = (count: number) => send(client, { ...query, text: `fetch ${count} from ${CURSOR}`, values: [] });
  const declared = send(client, { ...query, text: `declare ${CURSOR} no scroll cursor for ${query.text}` });
  const [, first] = await Promise.all([declared, fetch(FETCH_LENGTH)]);
  const rows: unknown[][] = [];
  let answer = first;
  let bytes = 0;
  for (let wanted = FETCH_LENGTH; ; wanted = rows.length) {
    for (const row of answer.rows) {
      rows.push(row);
      bytes += textBytes(row);
      if (bytes > bytesMax) break;
    }
    const isCut = bytes > bytesMax;
    if (isCut || answer.rows.length < wanted) {
      // Nobody waits for that, but for what comes after it on the connection.
      send(client, { text: `close ${CURSOR}` }).catch(() => {});
      return { ...first, rows, isCut };
    }
    answer = await fetch(rows.length);
  }
}

function textBytes(values: unknown[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}
