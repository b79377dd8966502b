import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { Browser, PASSWORD } from '../../../../testkit/src/browser.ts';
import { type Caller, type Change, call, SESSION_GATE } from '../../../../testkit/src/calls.ts';
import { createDatabase, type TestDatabase } from '../../../../testkit/src/database.ts';
import type { DocumentedOperation, Told } from '../../../../testkit/src/openapi.ts';
import { runCommand } from '../../../../testkit/src/process.ts';
import { inLanes } from '../../at-once.ts';
import type { Patch, Trial } from '../../part.ts';
import { readTold, serve, settingsOf, withPatches } from '../../service.ts';

export { PASSWORD };
export type Figure = readonly [what: string, value: string];

/** A browser with its own client address, which a trusted proxy reports. */
export class Visitor extends Browser {
  readonly address: string;

  constructor(url: string, address: string) {
    super({ url });
    this.address = address;
  }

  override fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('X-Forwarded-For', this.address);
    return super.fetch(path, { ...init, headers });
  }

  async get(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Told> {
    return readTold(await this.send(method, path, body, headers));
  }

  enter(email: string, password: string): Promise<Told> {
    return this.get('POST', '/admin/auth/sign-in/email', { email, password });
  }

  /** Signs in with `PASSWORD`, which must succeed. */
  async signIn({ email }: Pick<Person, 'email'>): Promise<this> {
    await this.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
    return this;
  }

  async whoIsHere(): Promise<string | undefined> {
    const { text } = await this.get('GET', '/admin/session');
    return JSON.parse(text)?.user.email;
  }

  steal(cookies: ReadonlyMap<string, string>): this {
    this.cookies.clear();
    for (const [name, value] of cookies) this.cookies.set(name, value);
    return this;
  }
}

/** A user who can sign in with `PASSWORD`, and a browser with their session. */
export interface Person {
  id: string;
  email: string;
  browser: Visitor;
}

/** A service with two workers, two accounts, and their users. */
export interface Scene {
  trial: Trial;
  url: string;
  pid: number;
  database: TestDatabase;
  /** `forbidden`: requests that must have no effect, such as those from another origin or with the wrong role. */
  tally: { guesses: number; forbidden: number };
  /** The administrator of the first account. `key` is an API key of this account. */
  ada: Person;
  accountId: string;
  key: string;
  /** All operations below `/admin`. They come from the document that the service serves, so new ones are included. */
  operations: readonly DocumentedOperation[];
  /** The ids and names of the first account's objects, by path parameter. */
  things: Record<string, string>;
  mallory: Person;
  /** A fresh browser at a new address. */
  visitor(): Visitor;
}

/** Settings with which the service trusts the client address from `X-Forwarded-For` and runs two workers. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1', WORKERS: '2' };
const ADDRESSES_PER_BYTE = 250;

/** Makes hashing about ten times as fast in the small form. It still takes most of the time of a sign-in. */
const CHEAP: readonly Patch[] = [
  ['MEMORY_KIB', '19_456', '4_096'],
  ['PASSES', '2', '1'],
];

/** Starts the service without an administrator. */
export async function startScene(given: Trial) {
  const trial = given.size === 'full' ? given : withPatches(given, CHEAP);
  const { url, child } = await serve(trial, BEHIND_PROXY);
  let count = 0;
  const visitor = () => {
    count += 1;
    return new Visitor(url, `10.${Math.trunc(count / ADDRESSES_PER_BYTE)}.${count % ADDRESSES_PER_BYTE}.1`);
  };
  const database = await createDatabase(trial.directory, 'sqlite');
  return { trial, url, pid: Number(child.pid), database, tally: { guesses: 0, forbidden: 0 }, visitor };
}

export async function addStranger({ trial, visitor }: Pick<Scene, 'trial' | 'visitor'>): Promise<Person> {
  const settings = settingsOf(trial);
  const email = 'mallory@example.com';
  const { stdout } = await runCommand(['accounts', 'create', '--name', 'Elsewhere', '--json'], settings);
  const args = ['administrators', 'create', '--account', JSON.parse(stdout).id, '--email', email, '--password-stdin'];
  await runCommand([...args, '--json'], settings, PASSWORD);
  const browser = visitor();
  const { user } = JSON.parse((await browser.enter(email, PASSWORD)).text);
  return { id: user.id, email, browser };
}

export async function invite({ browser }: Person, email: string, role = 'member'): Promise<string> {
  const { url } = await browser.ask('POST', '/admin/invitations', { email, role }, 201);
  return String(url).split('#token=')[1] ?? '';
}

export async function addPerson(scene: Scene, role = 'member'): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const token = await invite(scene.ada, email, role);
  const browser = scene.visitor();
  const given = { token, name: 'Grace Hopper', password: PASSWORD };
  const { user } = await browser.ask('POST', '/admin/invitations/accept', given);
  return { id: user.id, email, browser };
}

export async function addThings({ id: memberId, browser }: Person): Promise<Record<string, string>> {
  const listing = { address: '1 Elm Street', beds: 3, baths: 2, externalId: 'MLS-20931' };
  const { id } = await browser.ask('POST', '/admin/listings', listing, 201);
  const { id: keyId } = await browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
  const invited = { email: 'invited@example.com', role: 'member' };
  const { id: invitationId } = await browser.ask('POST', '/admin/invitations', invited, 201);
  return { id, keyId, invitationId, memberId, externalId: 'MLS-20931' };
}

export function sizeOf({ size }: Trial, full: number, small: number): number {
  return size === 'full' ? full : small;
}

/** Returns all items or, in the small form, one in `oneOf`, chosen by the seed. */
export function someOf<T>({ size, seed }: Trial, all: readonly T[], oneOf: number): readonly T[] {
  return size === 'full' ? all : all.filter((_, index) => (index + seed) % oneOf === 0);
}

export async function guessMany(
  { tally }: Pick<Scene, 'tally'>,
  times: number,
  lanes: number,
  work: (index: number) => Promise<number | string>,
): Promise<Map<number | string, number>> {
  const counts = new Map<number | string, number>();
  tally.guesses += times;
  await inLanes(lanes, [...Array(times).keys()], async (index) => {
    const outcome = await work(index);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  });
  return counts;
}

export const AT_ONCE = 20;
const LANES = 16;

/** Alternately uses and previews guessed links. @returns the number of guesses, which all got `expected` */
export async function guessLinks(
  scene: Pick<Scene, 'trial' | 'tally' | 'visitor'>,
  [usePath, previewPath]: [string, string],
  person: object,
  expected: number,
): Promise<number> {
  const guesses = sizeOf(scene.trial, 10_000, 10);
  const counts = await guessMany(scene, guesses, LANES, async (index) => {
    const [path, more] = index % 2 === 0 ? [usePath, person] : [previewPath, {}];
    const { status, headers } = await scene.visitor().get('POST', path, { ...more, token: randomToken() });
    return headers.getSetCookie().length > 0 ? 'a cookie' : status;
  });
  assert.deepEqual([...counts], [[expected, guesses]], `guessed links to ${usePath} got unexpected responses`);
  return guesses;
}

/** Returns a random token that has the length of a real one. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Counts statuses, as in `1 × 200, 19 × 404`. */
export function describe(statuses: readonly number[]): string {
  const groups = [...Map.groupBy(statuses, (status) => status)].toSorted(([a], [b]) => a - b);
  return groups.map(([status, those]) => `${those.length} × ${status}`).join(', ');
}

export async function callAs(
  caller: Caller,
  operation: DocumentedOperation,
  ids: Record<string, string>,
  change: Change = {},
): Promise<Told> {
  return readTold(await call({ gate: SESSION_GATE, caller, ids }, operation, change));
}

export function nameOf({ method, path }: DocumentedOperation): string {
  return `${method.toUpperCase()} /admin${path}`;
}

/** Returns the content of the database, without the times that change with each use. */
export async function stateOf({ database }: Scene): Promise<string> {
  const tables = await database.sql("select name from sqlite_schema where type = 'table' order by name");
  const rows = await Promise.all(tables.map(({ name }) => database.sql(`select * from "${name}"`)));
  const isKept = (name: string) => !/^(last_used_at|updated_at|expires_at)$/.test(name);
  return JSON.stringify(rows, (name, value) => (isKept(name) ? value : undefined));
}
