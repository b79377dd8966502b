import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection that sends exactly the given bytes. */
export class RawConnection {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #wake: () => void = () => {};
  #ended = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    // A reset also ends the connection, but the data received before it counts.
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
    socket.on('end', () => this.#end());
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  async pauseAtFirstByte(): Promise<void> {
    while (this.#length === 0 && !this.#ended) await this.#more();
    this.socket.pause();
  }

  /** Reads the next complete response. Set `hasBody` to false for responses to HEAD. */
  async readReply({ hasBody = true } = {}): Promise<RawReply> {
    const head = await this.#readThrough('\r\n\r\n');
    const [statusLine = '', ...lines] = head.trimEnd().split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const isBare = !hasBody || status < 200 || status === 204 || status === 304;
    return { status, headers, body: isBare ? '' : await this.#readBody(headers) };
  }

  async readToEnd(): Promise<string> {
    while (!this.#ended) await this.#more();
    return this.#take(this.#length).toString();
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  async #readBody(headers: Record<string, string>): Promise<string> {
    if (headers['transfer-encoding'] === 'chunked') return this.#readChunks();
    if (headers['content-length'] === undefined) return this.readToEnd();
    return (await this.#read(Number(headers['content-length']))).toString();
  }

  async #readChunks(): Promise<string> {
    const chunks: Buffer[] = [];
    for (;;) {
      const length = Number.parseInt(await this.#readThrough('\r\n'), 16);
      const chunk = await this.#read(length + 2);
      if (length === 0) return Buffer.concat(chunks).toString();
      chunks.push(chunk.subarray(0, length));
    }
  }

  async #readThrough(mark: string): Promise<string> {
    let index = this.#received().indexOf(mark);
    while (index < 0) {
      if (this.#ended) throw new Error(`The connection ended within a response: ${this.#received()}`);
      await this.#more();
      index = this.#received().indexOf(mark);
    }
    return this.#take(index + mark.length).toString('latin1');
  }

  async #read(length: number): Promise<Buffer> {
    while (this.#length < length) {
      if (this.#ended) throw new Error(`The connection ended within a body: ${this.#received()}`);
      await this.#more();
    }
    return this.#take(length);
  }

  /** Joins the received but unread data into one buffer. */
  #received(): Buffer {
    const [first, ...others] = this.#chunks;
    const received = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [received];
    return received;
  }

  #take(length: number): Buffer {
    const received = this.#received();
    this.#chunks = [received.subarray(length)];
    this.#length -= length;
    return received.subarray(0, length);
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }
}

export async function openRaw(url: string, localAddress?: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
  await once(socket, 'connect');
  return new RawConnection(socket);
}

export async function sendRaw(url: string, request: string | Buffer, localAddress?: string): Promise<RawReply> {
  using connection = await openRaw(url, localAddress);
  connection.send(request);
  return await connection.readReply({ hasBody: !request.toString('latin1').startsWith('HEAD ') });
}

/** Starts to read the list as CSV, and pauses. CSV does not have an end mark of its own. */
export async function beginCsv(url: string, key: string): Promise<RawConnection> {
  const connection = await openRaw(url);
  connection.send(`GET /v1/listings HTTP/1.1\r\nHost: a\r\nAccept: text/csv\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await connection.pauseAtFirstByte();
  return connection;
}

/** Reads the rest, and asserts that the last chunk is missing. */
export async function assertCut(connection: RawConnection): Promise<void> {
  connection.socket.resume();
  const rest = await connection.readToEnd();
  assert.ok(!rest.endsWith('\r\n0\r\n\r\n'), rest.slice(-100));
}
