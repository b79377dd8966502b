import { COMPLETE_LIST_PATH, streamList } from './complete-list.ts';
import { createCall, endlessCreates, endlessFullCreates, fullCreateCall } from './creates.ts';
import { wholeList } from './list-checks.ts';
import { listingSource } from './listings.ts';
import type { Recording } from './recordings.ts';
import { type Call, findHeader, sendCall } from './requests.ts';
import { readScenario, type Scenario, writeScenario } from './scenario-kinds.ts';
import type { Account, Service } from './service.ts';
import { endlessUpdates, updateCall } from './updates.ts';

export type Fixture = {
  service: Service;
  /** The account with the long list, which is no longer changed. */
  reader: Account;
  readerListings: number;
  /** The account in which listings are created and updated. */
  writer: Account;
};

/** The requests of this run. */
export type Scenarios = {
  all: Scenario[];
  completeList: Recording;
  /** The requests of other accounts while one account keeps the service busy. */
  neighbours: Scenario[];
};

const PAGE_PATH = '/v1/listings?limit=20';
/** Lists the listings to update. */
const CHANGEABLE_PATH = '/v1/listings?limit=1000&fields=id';
const EVENTS = 100;
/** The number of different listings, or event pages, that repeat. */
const DIFFERENT = 200;

/** Records the responses that are expected from the service, and that the bare server sends. */
export async function recordScenarios(fixture: Fixture): Promise<Scenarios> {
  const listOf20 = readScenario('list of 20', [await record(fixture, readCall(fixture, PAGE_PATH))]);
  const creates = await recordCreates(fixture);
  return {
    all: [
      listOf20,
      readScenario('get one', await recordSingles(fixture)),
      readScenario('304 (list of 20)', [await recordUnchanged(fixture)]),
      readScenario('events page of 100', await recordEvents(fixture)),
      creates,
      await recordFullCreates(fixture),
      await recordUpdates(fixture),
    ],
    completeList: await record(fixture, readCall(fixture, COMPLETE_LIST_PATH)),
    neighbours: [listOf20, creates],
  };
}

function readCall({ reader }: Fixture, path: string): Call {
  return { method: 'GET', path, key: reader.key };
}

async function record({ service }: Fixture, call: Call, status = 200): Promise<Recording> {
  const reply = await sendCall(service.port, call);
  if (reply.status === status) return { call, reply };
  throw new Error(`${call.method} ${call.path}: expected ${status}, got ${reply.status} with ${reply.body}`);
}

async function recordSingles(fixture: Fixture): Promise<Recording[]> {
  const ids: string[] = [];
  const { service, reader, readerListings } = fixture;
  const check = wholeList(readerListings, (id) => ids.push(id));
  await streamList(service.port, service.pid, reader.key, check);
  return Promise.all(spread(ids).map((id) => record(fixture, readCall(fixture, `${COMPLETE_LIST_PATH}/${id}`))));
}

async function recordUnchanged(fixture: Fixture): Promise<Recording> {
  const call = readCall(fixture, PAGE_PATH);
  const { reply } = await record(fixture, call);
  const etag = findHeader(reply, 'etag');
  if (etag === undefined) throw new Error(`${PAGE_PATH} has no ETag`);
  return record(fixture, { ...call, ifNoneMatch: etag }, 304);
}

/** Records pages from all parts of the reader's events: one event per listing, because no listing was updated. */
function recordEvents(fixture: Fixture): Promise<Recording[]> {
  const sequences = Array.from({ length: fixture.readerListings - EVENTS }, (_, sequence) => sequence);
  return Promise.all(
    spread(sequences).map((after) => record(fixture, readCall(fixture, `/v1/events?after=${after}&limit=${EVENTS}`))),
  );
}

async function recordCreates(fixture: Fixture): Promise<Scenario> {
  const { key } = fixture.writer;
  const { address, beds, baths } = listingSource(0, 'RECORDED')();
  const recording = await record(fixture, createCall(key, JSON.stringify({ address, beds, baths })), 201);
  return writeScenario('create', [recording], (port) => endlessCreates(port, key));
}

async function recordFullCreates(fixture: Fixture): Promise<Scenario> {
  const { key } = fixture.writer;
  const recording = await record(fixture, fullCreateCall(key, JSON.stringify(listingSource(0, 'RECORDED')())), 201);
  return writeScenario('create with 18 fields', [recording], (port, run) =>
    endlessFullCreates(port, key, `NEW-${run}`),
  );
}

async function recordUpdates(fixture: Fixture): Promise<Scenario> {
  const { key } = fixture.writer;
  const { reply } = await record(fixture, { method: 'GET', path: CHANGEABLE_PATH, key });
  const { data }: { data: { id: string }[] } = JSON.parse(reply.body.toString('utf8'));
  const ids = spread(data.map(({ id }) => id));
  const recordings = await Promise.all(ids.map((id) => record(fixture, updateCall(key, id))));
  return writeScenario('update', recordings, (port, run) => endlessUpdates(port, key, ids, run));
}

/** Picks up to `DIFFERENT` items at equal distances. */
function spread<T>(items: readonly T[]): T[] {
  const step = Math.floor(items.length / DIFFERENT);
  return items.filter((_, index) => index % step === 0).slice(0, DIFFERENT);
}
