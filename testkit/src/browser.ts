import assert from 'node:assert/strict';
import { argon2Sync, randomUUID } from 'node:crypto';
import { OPERATOR } from '../../server/src/domain/access/audit.ts';
import { createAccount } from '../../server/src/domain/accounts/accounts.ts';
import { createAdministrator } from '../../server/src/domain/accounts/administrators.ts';
import { createId } from '../../server/src/lib/ids.ts';
import type { Role } from '../../server/src/model/users.ts';
import { insertUser } from '../../server/src/storage/users.ts';
import type { TestService } from './service.ts';

export const PASSWORD = 'correct horse battery staple';

/** A hash with a low cost. A hash at the real cost takes 70 ms to create, and 70 ms more at each sign-in. */
const PASSWORD_HASH = cheapHash();

function cheapHash(): string {
  const nonce = Buffer.alloc(16, 'salt');
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, ...cost });
  const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=8,t=1,p=1$${encode(nonce)}$${encode(tag)}`;
}

export interface Person {
  userId: string;
  accountId: string;
  name: string;
  email: string;
}

/** Creates a user who can sign in with `PASSWORD`, in a new account unless one is given. */
export async function createPerson(
  { database }: Pick<TestService, 'database'>,
  given: { accountId?: string; role?: Role; name?: string; email?: string } = {},
): Promise<Person> {
  const { role = 'administrator', name = 'Ada Lovelace', email = `${randomUUID()}@example.com` } = given;
  const account = given.accountId ?? (await createAccount(database, 'Hill Country Homes')).id;
  const user = { id: createId('usr'), name, email };
  const credential = { id: createId('crd'), passwordHash: PASSWORD_HASH };
  await database.write((session) => insertUser(session, user, credential, true));
  await createAdministrator(database, account, { email }, role, OPERATOR);
  return { userId: user.id, accountId: account, name, email };
}

/** Keeps cookies and sends `Origin`, like a browser. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor({ url }: Pick<TestService, 'url'>) {
    this.#url = url;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ Cookie: this.cookie });
    if (this.cookies.size === 0) headers.delete('Cookie');
    if (init.method !== undefined && init.method !== 'GET') headers.set('Origin', this.#url);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(`${this.#url}${path}`, { redirect: 'manual', ...init, headers });
    for (const text of response.headers.getSetCookie()) this.#keep(text);
    return response;
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    if (body === undefined) return this.fetch(path, { method, headers });
    const type = { 'Content-Type': 'application/json' };
    return this.fetch(path, { method, headers: { ...type, ...headers }, body: JSON.stringify(body) });
  }

  /** Asserts the status. @returns the JSON of the response; undefined if its body is empty */
  async ask(method: string, path: string, body?: unknown, status = 200) {
    const response = await this.send(method, path, body);
    const text = await response.text();
    assert.equal(response.status, status, text);
    return text === '' ? undefined : JSON.parse(text);
  }

  #keep(text: string): void {
    const [pair = ''] = text.split(';', 1);
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    if (value === '' || /;\s*max-age=0\b/i.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export async function signIn(service: TestService, { email }: Person): Promise<Browser> {
  const browser = new Browser(service);
  await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
  return browser;
}
