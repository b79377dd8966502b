import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type Cleanup, defer } from './cleanup.ts';

/**
 * What happens to a message. `cut` ends the connection before the server receives the message. `cut answer`
 * ends it after the commit, before the service receives the response.
 */
export type Fate = 'forward' | 'cut' | 'cut answer';

export interface PostgresProxy {
  url: string;
  /** Decides what happens to each message by its type and text. */
  judge: (type: string, text: string) => Fate;
  /** The number of round trips: how often the service sent a message after a response. */
  trips: number;
  /** Stops forwarding until `resume`, without closing connections. */
  silence(): void;
  resume(): void;
  /** Routes new connections to another server and ends the existing ones. */
  redirect(serverUrl: string): void;
}

/** The bytes at the end of the server's response to a commit. */
const COMMITTED = 'COMMIT\0';

export async function proxyFor(t: Cleanup, serverUrl: string): Promise<PostgresProxy> {
  let { hostname, port } = new URL(serverUrl);
  const pairs = new Set<Pair>();
  let isSilent = false;
  let isAnswered = true;
  const watch: Watch = {
    judge(type, text) {
      if (isAnswered) proxy.trips += 1;
      isAnswered = false;
      return proxy.judge(type, text);
    },
    onAnswer() {
      isAnswered = true;
    },
  };
  const listener = createServer((client) => {
    const pair = new Pair(client, connect(Number(port), hostname), watch);
    pairs.add(pair);
    if (isSilent) pair.silence();
    // While the proxy is silent, the server must not notice that the client has disconnected.
    client.once('close', () => isSilent || pairs.delete(pair));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  defer(t, () => {
    listener.close();
    for (const pair of pairs) pair.cut();
  });
  const url = new URL(serverUrl);
  const address = listener.address();
  url.port = String(Object(address).port);
  const proxy: PostgresProxy = {
    url: url.href,
    judge: () => 'forward',
    trips: 0,
    silence() {
      isSilent = true;
      for (const pair of pairs) pair.silence();
    },
    resume() {
      isSilent = false;
      for (const pair of pairs) if (!pair.resume()) pairs.delete(pair);
    },
    redirect(otherUrl) {
      ({ hostname, port } = new URL(otherUrl));
      for (const pair of pairs) pair.cut();
    },
  };
  return proxy;
}

interface Watch {
  judge(type: string, text: string): Fate;
  onAnswer(): void;
}

/** The type of a connection's first message, which does not contain a type. */
const STARTUP = '';

class Pair {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #watch: Watch;
  #unread = Buffer.alloc(0);
  #hasStarted = false;
  #isAnswerCut = false;
  #isSilent = false;

  constructor(client: Socket, server: Socket, watch: Watch) {
    this.#client = client;
    this.#server = server;
    this.#watch = watch;
    client.on('error', () => {}).on('data', (chunk) => this.#read(Buffer.from(chunk)));
    server
      .on('error', () => {})
      .on('data', (chunk) => {
        watch.onAnswer();
        if (!this.#isAnswerCut) client.write(chunk);
        // Cut the connection only once the response to the commit has arrived.
        else if (chunk.includes(COMMITTED)) this.cut();
      });
    for (const socket of [client, server]) {
      socket.on('close', () => this.#isSilent || this.cut());
      // With Nagle's algorithm, every second message would wait 40 ms.
      socket.setNoDelay();
    }
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  silence(): void {
    this.#isSilent = true;
    this.#client.pause();
    this.#server.pause();
  }

  /** @returns whether both ends are still open */
  resume(): boolean {
    this.#isSilent = false;
    if (this.#client.destroyed || this.#server.destroyed) this.cut();
    this.#client.resume();
    this.#server.resume();
    return !this.#client.destroyed;
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (let message = this.#take(); message !== undefined; message = this.#take()) {
      const type = this.#hasStarted ? message.toString('latin1', 0, 1) : STARTUP;
      this.#hasStarted = true;
      const fate = this.#watch.judge(type, message.toString('latin1', 5));
      if (fate === 'cut') this.cut();
      if (fate === 'cut answer') this.#isAnswerCut = true;
      if (this.#client.destroyed) return;
      this.#server.write(message);
    }
  }

  #take(): Buffer | undefined {
    const start = this.#hasStarted ? 1 : 0;
    if (this.#unread.length < start + 4) return undefined;
    const length = start + this.#unread.readInt32BE(start);
    if (this.#unread.length < length) return undefined;
    const message = this.#unread.subarray(0, length);
    this.#unread = this.#unread.subarray(length);
    return message;
  }
}
