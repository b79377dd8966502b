import assert from 'node:assert/strict';
import type { Ask } from './ask.ts';
import { fillIn } from './asks.ts';
import { BAIT_KINDS, type Bait } from './bait.ts';
import type { Canaries, Owner } from './canaries.ts';
import { comparable } from './comparable.ts';
import { createPersonas, type Persona } from './personas.ts';
import { endingTasks, type Task, tasksOf } from './tasks.ts';
import type { Answer, Sent } from './wire.ts';
import type { World } from './world.ts';

const AT_ONCE = 4;
/** What may be counted between two readings is another one then: what is told is not. */
const TRIES = 3;

/** A request that was sent, so that its log line can be told from others. */
interface Asked {
  visible: ReadonlySet<Owner>;
  sent: ReadonlySet<string>;
}

export interface Asking {
  /** By request id. */
  asked: Map<string, Asked>;
  operations: Set<string>;
  /** What an account's people have named themselves: it may stand in what is theirs from then on. */
  named: Map<string, Set<string>>;
  personas: number;
  requests: number;
  bytes: number;
}

/** Lets everybody ask for what is not theirs, in every place, and for what never was: the answers must be the same. */
export async function askForTheirs(world: World, isThorough: boolean): Promise<Asking> {
  const asking: Asking = {
    asked: new Map(),
    operations: new Set(),
    named: new Map(),
    personas: 0,
    requests: 0,
    bytes: 0,
  };
  const personas = createPersonas(world);
  asking.personas = personas.length;
  const trier = new Trier(world, asking);
  const tasks = personas.flatMap((persona) => tasksOf(persona, isThorough));
  const isRead = ({ ask }: Task) => isReading(ask);
  // While nobody writes, answers depend on nothing else.
  await inParallel(tasks.filter(isRead), (task) => trier.compare(task));
  for (const task of tasks.filter((each) => !isRead(each))) await trier.compare(task);
  for (const task of await endingTasks(world)) await trier.compare(task);
  return asking;
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** Asks twice each time. */
class Trier {
  readonly #world: World;
  readonly #asking: Asking;
  readonly #twins = new Map<Bait, Bait>();

  constructor(world: World, asking: Asking) {
    this.#world = world;
    this.#asking = asking;
  }

  /** Asks for what is theirs and for what never was. */
  async compare(task: Task): Promise<void> {
    const { persona, ask, victim } = task;
    this.#asking.operations.add(ask.operation);
    const isRead = isReading(ask);
    const { canaries } = this.#world;
    let differ: [string, string] = ['', ''];
    for (let count = 0; count < (isRead ? TRIES : 1); count += 1) {
      const address = `10.${[0, 0, 0].map(() => canaries.below(256)).join('.')}`;
      const theirs = await this.#ask(persona, ask, victim, address);
      if (!isAbout(ask)) return;
      const nobodys = await this.#ask(persona, ask, this.#twinOf(victim), address);
      differ = [comparable(theirs, isRead, canaries), comparable(nobodys, isRead, canaries)];
      if (differ[0] === differ[1]) return;
    }
    const words = `${ask.operation} as ${persona.name}, ${ask.place}: what is theirs is answered otherwise than what never was`;
    assert.equal(differ[0], differ[1], `${words}:\n${differ[0]}\n---\n${differ[1]}`);
  }

  async #ask(persona: Persona, ask: Ask, victim: Bait, address: string): Promise<Answer> {
    const { wire, canaries } = this.#world;
    const { own, credential, visible, name } = persona;
    const number = String(this.#asking.asked.size).padStart(9, '0');
    const values = { ...victim, ownListingId: own?.ownListingId ?? victim.listingId, own: `MLS${number}` };
    const filled = fillIn(ask, values);
    const requestId = `iso-${number}`;
    const sent: Sent = {
      ...filled,
      headers: { ...credential, ...filled.headers, 'X-Forwarded-For': address, 'X-Request-Id': requestId },
    };
    const named = this.#nameAll(own?.owner ?? name, sent, canaries);
    this.#asking.asked.set(requestId, { visible, sent: named });
    const answer = await wire.send(sent);
    this.#asking.requests += 1;
    this.#asking.bytes += answer.head.length + answer.body.length;
    const leaks = canaries.leaks(`${answer.head}\n\n${answer.body}`, visible, named);
    assert.deepEqual(
      leaks,
      [],
      `${ask.operation} as ${name}, ${ask.place}: an answer tells of others: ${leaks.slice(0, 3).join('; ')}`,
    );
    // No promise of this part, and no answer to compare.
    if (answer.status >= 500) throw new Error(`${ask.operation} as ${name}, ${ask.place}: ${answer.body}`);
    return answer;
  }

  #nameAll(who: string, { path, headers, body = '' }: Sent, canaries: Canaries): ReadonlySet<string> {
    const named = this.#asking.named.get(who) ?? new Set();
    this.#asking.named.set(who, named);
    for (const word of canaries.find(`${path}\n${Object.values(headers).join('\n')}\n${body}`)) named.add(word);
    return named;
  }

  #twinOf(bait: Bait): Bait {
    const { canaries } = this.#world;
    const known = this.#twins.get(bait);
    if (known !== undefined) return known;
    const twin = { ...bait };
    for (const kind of BAIT_KINDS) twin[kind] = canaries.twinOf(bait[kind]);
    this.#twins.set(bait, twin);
    return twin;
  }
}

/** Whether it names anything of anybody. */
function isAbout({ path, headers, body = '' }: Ask): boolean {
  return `${path} ${Object.values(headers).join(' ')} ${body}`.includes('<');
}

/** Whether it changes nothing. */
function isReading({ method }: Ask): boolean {
  return method === 'GET' || method === 'HEAD';
}
