import type { Exchange } from '../connection.ts';
import { createExchange } from '../creates.ts';
import { cycle } from '../cycle.ts';
import { unchangingList } from '../list-checks.ts';
import { listingSource } from '../listings.ts';
import { askDuring } from '../neighbours.ts';
import { type Call, sendCall, serializeCall } from '../requests.ts';
import { type Measured, measureLoad, measureStream } from '../rounds.ts';
import { prepareRow } from './prepare.ts';
import { type Group, NEWEST, type SearchRow } from './rows.ts';
import { readCall, SEED, type Side } from './servers.ts';

export const CONNECTIONS = 16;
const COMPLETE_PATH = '/v1/listings?status=pending&sort=listPrice';
const COMPLETE_END = '],"nextCursor":null';

/** A measurement, with the latency (p99) of the neighbor's requests during that time. */
export type TurnMeasured = Measured & { neighbourP99Ms: number };

/** A row of the table, with the measurement of each server. */
export type Turn = {
  name: string;
  group: Group;
  unit: 'requests' | 'listings';
  measures: ((seconds: number) => Promise<TurnMeasured>)[];
};

/**
 * Prepares all rows, and compares the servers' responses. The row that creates listings comes last, because
 * it makes the account grow.
 * @param secondsMax ends the preparation of a slow row early
 */
export async function prepareTurns(
  rows: readonly SearchRow[],
  sides: readonly Side[],
  secondsMax: number,
): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (const row of rows) {
    const prepared = await prepareRow(row, sides, secondsMax);
    const exchangesOf = (index: number) => prepared[index] ?? [];
    turns.push(
      loadTurn(row.name, row.group, sides, (side, index) =>
        index === 0 ? laps(side, exchangesOf(index)) : cycle(exchangesOf(index)),
      ),
    );
    if (row.name !== NEWEST) continue;
    turns.push(loadTurn('newest, repeated', 'other', sides, (_, index) => cycle(exchangesOf(index).slice(0, 1))));
  }
  turns.push(loadTurn('one listing', 'other', sides, singles));
  turns.push(await completeListTurn(sides));
  turns.push(loadTurn('create', 'other', sides, creates));
  return turns;
}

function loadTurn(
  name: string,
  group: Group,
  sides: readonly Side[],
  exchangesOf: (side: Side, index: number) => () => Exchange,
): Turn {
  const measures = sides.map((side, index) => {
    const next = exchangesOf(side, index);
    return (seconds: number) => watch(side, () => measureLoad(side, next, seconds, CONNECTIONS));
  });
  return { name, group, unit: 'requests', measures };
}

async function watch(side: Side, work: () => Promise<Measured>): Promise<TurnMeasured> {
  const neighbour = {
    service: (port: number) => cycle([{ request: serializeCall(port, side.neighbour), expected: OK }]),
  };
  const { p99sMs, result } = await askDuring(side, [neighbour], work);
  return { ...result, neighbourP99Ms: p99sMs[0] ?? Number.NaN };
}

const OK = { status: 200, contains: [] };

/** After each lap, a change to a listing makes all cached pages stale. The peer does not cache pages. */
function laps({ port, key, ids: [id = ''] }: Side, exchanges: readonly Exchange[]): () => Exchange {
  let count = 0;
  return () => {
    count += 1;
    const call: Call = { ...readCall(id, key), method: 'PATCH', body: `{"metadata":{"lap":${count}}}` };
    return exchanges[count % (exchanges.length + 1)] ?? { request: serializeCall(port, call), expected: OK };
  };
}

function singles({ port, key, ids }: Side): () => Exchange {
  return cycle(
    ids.map((id) => ({
      request: serializeCall(port, readCall(id, key)),
      expected: { status: 200, contains: [Buffer.from(`"id":"${id}"`)] },
    })),
  );
}

function creates({ port, key }: Side): () => Exchange {
  const next = listingSource(SEED + 1, 'NEW');
  return () => createExchange(port, key, next());
}

async function completeListTurn(sides: readonly Side[]): Promise<Turn> {
  const [first, ...others] = await Promise.all(
    sides.map(async ({ port, key }) => {
      const { body } = await sendCall(port, { method: 'GET', path: COMPLETE_PATH, key });
      return body.subarray(0, body.lastIndexOf(COMPLETE_END));
    }),
  );
  if (first === undefined || others.some((other) => !other.equals(first)))
    throw new Error('complete list: the peer sends different bytes');
  const rows = JSON.parse(`${first}]}`).data.length;
  return {
    name: 'complete list, filtered and sorted',
    group: 'other',
    unit: 'listings',
    measures: sides.map(
      (side) => (seconds: number) =>
        watch(side, () => measureStream(side, side.key, rows, unchangingList(), seconds, COMPLETE_PATH)),
    ),
  };
}
