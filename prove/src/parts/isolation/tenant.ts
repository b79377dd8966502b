import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';
import { Browser, PASSWORD, type Person } from '../../../../testkit/src/browser.ts';
import { decode } from '../../../../testkit/src/encodings.ts';
import type { Operator } from '../../../../testkit/src/operator.ts';
import type { Canaries, Owner } from './canaries.ts';

export const JSON_TYPE = { 'Content-Type': 'application/json' };
/** The lifetime of a key that must expire during the setup. */
const EXPIRY_MS = 1_500;

export type Credential = Record<string, string>;

export type Tenant = Awaited<ReturnType<Founder['found']>>;

/** The owner of values that only an account's administrators can see. */
export function administratorsOf(owner: Owner): Owner {
  return `the administrators of ${owner}`;
}

export function bearer(secret: string): Credential {
  return { Authorization: `Bearer ${secret}` };
}

export class Founder {
  readonly wire: Wire;
  readonly canaries: Canaries;
  readonly operator: Operator;
  readonly url: string;

  constructor(url: string, wire: Wire, canaries: Canaries, operator: Operator) {
    this.url = url;
    this.wire = wire;
    this.canaries = canaries;
    this.operator = operator;
  }

  async found(owner: Owner) {
    const { canaries, operator } = this;
    const accountName = canaries.text(owner, 'name of the account');
    const accountId = await operator.createAccount(accountName);
    canaries.add(accountId, owner, 'id of the account');
    const administrator = await this.join(owner, accountId, 'administrator');
    const session = await this.signIn(administrator, owner);
    const expiryTimeMs = Date.now() + EXPIRY_MS;
    const key = (place: string, given = {}) =>
      operator.createKey(accountId, { name: canaries.text(owner, `name of the ${place} key`), ...given });
    const keys = {
      full: await key('full'),
      read: await key('reading', { access: 'read' }),
      deleted: await key('deleted'),
      expired: await key('expired', { expiresAt: expiryTimeMs }),
    };
    for (const { secret } of Object.values(keys)) canaries.add(secret, 'nobody', 'the secret of a key');
    await this.ask({ method: 'DELETE', path: `/admin/api-keys/${keys.deleted.id}`, headers: session }, 204);
    return { owner, accountId, accountName, keys, expiryTimeMs, administrator, session };
  }

  async join(owner: Owner, accountId: string, role: 'administrator' | 'member'): Promise<Person> {
    const { canaries } = this;
    const name = canaries.text(administratorsOf(owner), `name of a person (${role})`);
    const email = `${canaries.text(administratorsOf(owner), `email of a person (${role})`)}@example.com`;
    const person = await this.operator.createPerson({ accountId, role, name, email });
    canaries.add(person.userId, administratorsOf(owner), 'a person');
    for (const text of [name, email.split('@', 1).join(), person.userId])
      canaries.add(text, nameOf(person), 'a person');
    return person;
  }

  async signIn(person: Person, owner: Owner): Promise<Credential> {
    const browser = new Browser(this);
    const agent = this.canaries.text(nameOf(person), `User-Agent of a person of ${owner}`);
    const given = { email: person.email, password: PASSWORD };
    const response = await browser.send('POST', '/admin/auth/sign-in/email', given, { 'User-Agent': agent });
    assert.equal(response.status, 200, await response.text());
    return { Cookie: browser.cookie, Origin: this.url };
  }

  async sendJson(method: string, path: string, credential: Credential, given: object, status = 200) {
    const headers = { ...credential, ...JSON_TYPE };
    const { body } = await this.ask({ method, path, headers, body: JSON.stringify(given) }, status);
    return JSON.parse(body);
  }

  /** @throws AssertionError unless the response has this status */
  async ask(sent: Sent, status = 200): Promise<Answer> {
    const answer = await this.wire.send(sent);
    assert.equal(answer.status, status, `${sent.method} ${sent.path}: ${answer.body}`);
    return answer;
  }
}

/** The owner of values that only this person can see. */
export function nameOf({ userId }: Person): Owner {
  return `the person ${userId}`;
}

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Answer {
  status: number;
  head: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A pool of connections. Each connection carries the requests of many callers. */
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
      // The service closed an idle connection, so use a new one.
      if (error instanceof ClosedError) return await this.#sendOnce(sent);
      throw error;
    }
  }

  async #sendOnce({ method, path, headers, body }: Sent): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    // Send the path as it is, without normalization.
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
