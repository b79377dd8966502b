import assert from 'node:assert/strict';
import { withoutChance } from '../../../../testkit/src/chance.ts';
import { inLanes } from '../../at-once.ts';
import { type Ask, fillIn } from './asks.ts';
import type { Canaries, Owner } from './canaries.ts';
import { BAIT_KINDS, type Bait } from './filling.ts';
import { createPersonas, endingTasks, type Persona, type Task, tasksOf } from './personas.ts';
import type { Answer, Sent } from './tenant.ts';
import type { World } from './world.ts';

const CHANCE_HEADERS = /^(?:date|x-request-id|set-cookie|keep-alive|ratelimit):/i;
/** Differs between responses to writes, because the versions in their bodies can have different numbers of digits. */
const LENGTH_HEADER = /^content-length:/i;

/** Formats a response without the values that differ each time, and without values that the request contained. */
function comparable({ head, body }: Answer, isRead: boolean, canaries: Canaries): string {
  const lines = head.split('\n').filter((line) => !CHANCE_HEADERS.test(line));
  const kept = isRead ? lines : lines.filter((line) => !LENGTH_HEADER.test(line));
  return withoutChance(canaries.mask(`${kept.join('\n')}\n\n${body}`))
    .replaceAll(/"(requestId|challenge)":"[^"]+"/g, '"$1":""')
    .replaceAll(/"lastSuccessAgeSeconds":\d+/g, '"lastSuccessAgeSeconds":0')
    .replaceAll(/MLS\d{9}/gi, 'MLS')
    .replaceAll(/(?:W\/)?"[\w-]+"(?=\n)/g, 'ETAG')
    .replaceAll(/("nextCursor":"|cursor=)[\w-]+/g, '$1')
    .replaceAll(/"(version|requests24h|errors24h|sequence|sequenceFrom|sequenceTo)":\d+/g, '"$1":0')
    .replaceAll(/"lastUsedAt":(?:null|"TIME")/g, '"lastUsedAt":null')
    .replaceAll(LOGGED_REQUEST, '');
}

/** An entry of the request log, which is not compared, because the log grows between two requests. */
const LOGGED_REQUEST = /\{"id":"[^"]+","at":"TIME","key":.*?"errorBody":(?:null|"(?:[^"\\]|\\.)*")\},?/g;

const AT_ONCE = 4;
/** How often a read is tried before it fails, because counters can change between two reads. */
const TRIES = 3;

export interface Asking {
  asked: Map<string, { visible: ReadonlySet<Owner>; sent: ReadonlySet<string> }>;
  operations: Set<string>;
  /** The values that each account has sent, which its own data can contain later. */
  named: Map<string, Set<string>>;
  personas: number;
  requests: number;
  bytes: number;
}

/** As each persona, requests others' data, and data that never existed. The responses must be equal. */
export async function askForTheirs(world: World, isThorough: boolean): Promise<Asking> {
  const personas = createPersonas(world);
  const counts = { personas: personas.length, requests: 0, bytes: 0 };
  const asking: Asking = { asked: new Map(), operations: new Set(), named: new Map(), ...counts };
  const trier = new Trier(world, asking);
  const tasks = personas.flatMap((persona) => tasksOf(persona, isThorough));
  const isRead = ({ ask }: Task) => isReading(ask);
  // Reads do not affect each other.
  await inLanes(AT_ONCE, tasks.filter(isRead), (task) => trier.compare(task));
  for (const task of tasks.filter((each) => !isRead(each))) await trier.compare(task);
  for (const task of await endingTasks(world)) await trier.compare(task);
  return asking;
}

class Trier {
  readonly #world: World;
  readonly #asking: Asking;
  readonly #twins = new Map<Bait, Bait>();

  constructor(world: World, asking: Asking) {
    this.#world = world;
    this.#asking = asking;
  }

  async compare(task: Task): Promise<void> {
    const { persona, ask, victim } = task;
    this.#asking.operations.add(ask.operation);
    const isRead = isReading(ask);
    const { canaries } = this.#world;
    let differ: [string, string] = ['', ''];
    for (let count = 0; count < (isRead ? TRIES : 1); count += 1) {
      const address = `10.${[0, 0, 0].map(() => canaries.below(256)).join('.')}`;
      const theirs = await this.#ask(persona, ask, victim, address);
      const namesNoOther = !`${ask.path} ${Object.values(ask.headers).join(' ')} ${ask.body ?? ''}`.includes('<');
      if (namesNoOther) return;
      const unknown = await this.#ask(persona, ask, this.#twinOf(victim), address);
      differ = [comparable(theirs, isRead, canaries), comparable(unknown, isRead, canaries)];
      if (differ[0] === differ[1]) return;
    }
    const words = `${ask.operation} as ${persona.name}, ${ask.place}: another account's object gets a different response than one that never existed`;
    assert.equal(differ[0], differ[1], `${words}:\n${differ[0]}\n---\n${differ[1]}`);
  }

  async #ask(persona: Persona, ask: Ask, victim: Bait, address: string): Promise<Answer> {
    const { wire, canaries } = this.#world;
    const { own, credential, visible, name } = persona;
    const number = String(this.#asking.asked.size).padStart(9, '0');
    const values = { ...victim, ownListingId: own?.ownListingId ?? victim.listingId, own: `MLS${number}` };
    const filled = fillIn(ask, values);
    const requestId = `iso-${number}`;
    const marks = { 'X-Forwarded-For': address, 'X-Request-Id': requestId };
    const sent: Sent = { ...filled, headers: { ...credential, ...filled.headers, ...marks } };
    const named = this.#nameAll(own?.owner ?? name, sent, canaries);
    this.#asking.asked.set(requestId, { visible, sent: named });
    const answer = await wire.send(sent);
    this.#asking.requests += 1;
    this.#asking.bytes += answer.head.length + answer.body.length;
    const leaks = canaries.leaks(`${answer.head}\n\n${answer.body}`, visible, named);
    const what = `${ask.operation} as ${name}, ${ask.place}`;
    assert.deepEqual(leaks, [], `${what}: a response contains data of others: ${leaks.slice(0, 3).join('; ')}`);
    if (answer.status === 201 && ask.path.endsWith('/webhooks'))
      await this.#remove(persona, ask, victim, address, answer);
    // A server error breaks another part's promise.
    if (answer.status >= 500) throw new Error(`${what}: ${answer.body}`);
    return answer;
  }

  /** Removes the new object, because an account can have only a few objects of its kind. */
  async #remove(persona: Persona, ask: Ask, victim: Bait, address: string, { body }: Answer): Promise<void> {
    const { body: _, ...rest } = ask;
    const path = `${ask.path}/${JSON.parse(body).id}`;
    await this.#ask(persona, { ...rest, method: 'DELETE', path }, victim, address);
  }

  #nameAll(who: string, { path, headers, body = '' }: Sent, canaries: Canaries): ReadonlySet<string> {
    const named = this.#asking.named.getOrInsertComputed(who, () => new Set());
    for (const word of canaries.find(`${path}\n${Object.values(headers).join('\n')}\n${body}`)) named.add(word);
    return named;
  }

  #twinOf(bait: Bait): Bait {
    return this.#twins.getOrInsertComputed(bait, () => {
      const twin = { ...bait };
      for (const kind of BAIT_KINDS) twin[kind] = this.#world.canaries.twinOf(bait[kind]);
      return twin;
    });
  }
}

function isReading({ method }: Ask): boolean {
  return method === 'GET' || method === 'HEAD';
}
