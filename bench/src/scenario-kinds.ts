import type { Exchange } from './connection.ts';
import { cycle } from './cycle.ts';
import type { Recording } from './recordings.ts';
import { serializeCall } from './requests.ts';

/** One row of the table: what is asked of both servers. `exchanges` makes the requests for the one on that port. */
export type Scenario = {
  name: string;
  recordings: Recording[];
  service(port: number): () => Exchange;
  bare(port: number): () => Exchange;
};

/** Both servers are asked what was recorded, in turn, and answer the same bytes. */
export function readScenario(name: string, recordings: Recording[]): Scenario {
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

/**
 * The bare server gets new bodies too, so that the driver does the same work, but answers what was recorded.
 * @param writes makes requests in the order of the recordings, over and over; `run` is another number each time
 */
export function writeScenario(
  name: string,
  recordings: Recording[],
  writes: (port: number, run: number) => () => Exchange,
): Scenario {
  let runs = 0;
  const startRun = (port: number): (() => Exchange) => {
    runs += 1;
    return writes(port, runs);
  };
  return {
    name,
    recordings,
    service: startRun,
    bare(port) {
      const nextWrite = startRun(port);
      const nextRecording = cycle(recordings);
      return () => {
        const { status, body } = nextRecording().reply;
        return { request: nextWrite().request, expected: { status, body } };
      };
    },
  };
}
