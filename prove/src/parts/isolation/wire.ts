import { Agent, type IncomingMessage, request } from 'node:http';
import { decode } from '../../../../testkit/src/encodings.ts';

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Answer {
  status: number;
  /** As received. */
  head: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Shared connections, each of which carries requests of many callers. */
export class Wire {
  readonly #agent: Agent;
  readonly #url: string;

  constructor(url: string, connections: number) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  async send(sent: Sent): Promise<Answer> {
    try {
      return await this.#sendOnce(sent);
    } catch (error) {
      // The service closed an idle connection.
      if (error instanceof ClosedError) return await this.#sendOnce(sent);
      throw error;
    }
  }

  async #sendOnce({ method, path, headers, body }: Sent): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    // The raw path, without normalization.
    const options = { method, path, agent: this.#agent, headers: { ...headers, ...length } };
    const outgoing = request(this.#url, options, resolve).on('error', (cause) =>
      reject(outgoing.reusedSocket ? new ClosedError('A connection was closed', { cause }) : cause),
    );
    outgoing.end(body);
    const incoming = await promise;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    return toAnswer(incoming, Buffer.concat(chunks));
  }

  close(): void {
    this.#agent.destroy();
  }
}

class ClosedError extends Error {}

function toAnswer({ statusCode = 0, statusMessage, rawHeaders, headers }: IncomingMessage, bytes: Buffer): Answer {
  const lines = [`${statusCode} ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  const body = bytes.length === 0 ? '' : decode(bytes, headers['content-encoding']);
  return { status: statusCode, head: lines.join('\n'), headers, body };
}
