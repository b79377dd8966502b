import { COMPLETE_LIST_PATH, streamList } from './complete-list.ts';
import type { Exchange } from './connection.ts';
import { createCall, endlessCreates } from './creates.ts';
import { cycle } from './cycle.ts';
import { wholeList } from './list-checks.ts';
import { listingSource } from './listings.ts';
import type { Recording } from './recordings.ts';
import { type Call, findHeader, type Reply, sendCall, serializeCall } from './requests.ts';
import type { Account, Service } from './service.ts';

/** One row of the table: what is asked of both servers. `exchanges` makes the requests for the one on that port. */
export type Scenario = {
  name: string;
  recordings: Recording[];
  service(port: number): () => Exchange;
  bare(port: number): () => Exchange;
};

export type Fixture = {
  service: Service;
  /** The account with the long list: nothing writes to it any more. */
  reader: Account;
  readerListings: number;
  /** The account that the creates go to. */
  writer: Account;
};

const PAGE_PATH = '/v1/listings?limit=20';
/** So many different listings are read in turn, spread over the whole account. */
const SINGLE_READS = 200;

/** Records what the service answers now: the replies to compare with, and those of the bare server. */
export async function recordScenarios(fixture: Fixture): Promise<{ scenarios: Scenario[]; completeList: Recording }> {
  const { port } = fixture.service;
  const record = async (call: Call, status: number): Promise<Recording> => {
    const reply = await sendCall(port, call);
    if (reply.status === status) return { call, reply };
    throw new Error(`${call.method} ${call.path}: expected ${status}, got ${reply.status} with ${reply.body}`);
  };
  const get = (path: string, more: Partial<Call> = {}): Call => ({
    method: 'GET',
    path,
    key: fixture.reader.key,
    ...more,
  });

  const page = await record(get(PAGE_PATH), 200);
  const ids = await spreadIds(fixture);
  const singles = await Promise.all(ids.map((id) => record(get(`${COMPLETE_LIST_PATH}/${id}`), 200)));
  const unchanged = await record(get(PAGE_PATH, { ifNoneMatch: getEtag(page.reply) }), 304);
  const create = await record(createCall(fixture.writer.key, JSON.stringify(listingSource(0, 'RECORDED')())), 201);
  const scenarios = [
    readScenario('list of 20', [page]),
    readScenario('get one', singles),
    readScenario('304 (list of 20)', [unchanged]),
    createScenario(create, fixture.writer.key),
  ];
  return { scenarios, completeList: await record(get(COMPLETE_LIST_PATH), 200) };
}

function readScenario(name: string, recordings: Recording[]): Scenario {
  const exchanges = (port: number): (() => Exchange) => {
    return cycle(
      recordings.map(({ call, reply: { status, body } }) => ({
        request: serializeCall(port, call),
        expected: { status, body },
      })),
    );
  };
  return { name, recordings, service: exchanges, bare: exchanges };
}

/** The bare server gets new listings too, so that the driver does the same work, but answers the recorded one. */
function createScenario(recording: Recording, key: string): Scenario {
  let runs = 0;
  const creates = (port: number): (() => Exchange) => {
    runs += 1;
    return endlessCreates(port, key, `NEW-${runs}`);
  };
  return {
    name: 'create',
    recordings: [recording],
    service: creates,
    bare(port) {
      const next = creates(port);
      const { status, body } = recording.reply;
      return () => ({ request: next().request, expected: { status, body } });
    },
  };
}

async function spreadIds({ service, reader, readerListings }: Fixture): Promise<string[]> {
  const ids: string[] = [];
  await streamList(
    service.port,
    service.pid,
    reader.key,
    wholeList(readerListings, (id) => ids.push(id)),
  );
  const step = Math.floor(ids.length / SINGLE_READS);
  return ids.filter((_, index) => index % step === 0);
}

function getEtag(reply: Reply): string {
  const etag = findHeader(reply, 'etag');
  if (etag === undefined) throw new Error(`${PAGE_PATH} has no ETag`);
  return etag;
}
