import type { Exchange } from './connection.ts';
import { cycle } from './cycle.ts';
import type { Recording } from './recordings.ts';
import { serializeCall } from './requests.ts';

/** One row of the table. `service` and `bare` generate the requests for a server on a port. */
export type Scenario = {
  name: string;
  recordings: Recording[];
  service(port: number): () => Exchange;
  bare(port: number): () => Exchange;
};

/** Creates a scenario of reads. Each server receives all recorded requests, and must send the recorded responses. */
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
 * Creates a scenario of writes. The bare server also receives new bodies, so that the driver does the same
 * work, but it sends recorded responses.
 * @param writes generates requests in the same order as the recordings, repeatedly; `run` is a different
 * number each time
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
