import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const NANOSECONDS_PER_MS = 1e6;
const SLOW_MS = 2_000;

/** How an endpoint responds to a delivery. */
const RESPONDS = {
  healthy: (response: ServerResponse) => void response.writeHead(204).end(),
  slow: async (response: ServerResponse) => void (await sleep(SLOW_MS, response.writeHead(204))).end(),
  hanging: () => {},
};

/** Webhook endpoints on this machine, each with its own port, as different customers have different hosts. */
export class Sink {
  /** The number of deliveries to healthy endpoints since the last `reset`. */
  count = 0;
  latencyNs: RecordableHistogram = createHistogram();
  readonly #sentMs = new Map<string, number>();
  readonly #servers: ReturnType<typeof createServer>[] = [];

  async open(kind: keyof typeof RESPONDS): Promise<string> {
    const server = createServer(async (incoming, response) => {
      const body = await text(incoming).catch(() => undefined);
      if (kind === 'healthy' && body !== undefined) this.#note(body);
      await RESPONDS[kind](response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  }

  reset(): void {
    this.count = 0;
    this.latencyNs = createHistogram();
    this.#sentMs.clear();
  }

  /** Records when the request that creates the listing with this external id was sent. */
  noteSent(externalId: string): void {
    this.#sentMs.set(externalId, performance.now());
  }

  percentileMs(percent: number): number {
    return this.latencyNs.percentile(percent) / NANOSECONDS_PER_MS;
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  #note(body: string): void {
    this.count += 1;
    const externalId: unknown = JSON.parse(body).data.listing?.externalId;
    const sentMs = this.#sentMs.get(String(externalId));
    if (sentMs !== undefined) this.latencyNs.record(Math.round((performance.now() - sentMs) * NANOSECONDS_PER_MS));
  }
}
