import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import { type Ask, asksOf, formatAsksOf, methodAsksOf, wholeAskOf } from './asks.ts';
import type { Owner } from './canaries.ts';
import type { Bait } from './filling.ts';
import { administratorsOf, bearer, type Credential, nameOf } from './tenant.ts';
import type { Filled, Gate, World } from './world.ts';

/** A caller that requests other accounts' data. */
export interface Persona {
  name: string;
  gate: Gate;
  credential: Credential;
  /** The owners of the values that the persona is allowed to see. */
  visible: ReadonlySet<Owner>;
  /** The caller's own account; undefined for callers without access. */
  own: Filled | undefined;
  /** Whether all values go into one request per operation, unless thorough. By default, only if `own` is undefined. */
  isBrief?: boolean;
  victims: Bait[];
}

export function createPersonas(world: World): Persona[] {
  const { ours, theirs, third, guestSession, endedSession, founder } = world;
  const { v1, admin } = world.gates;
  const nobody = { visible: new Set<Owner>(), own: undefined, victims: [theirs.bait] };
  const origin = { Origin: founder.url };
  const ourself = nameOf(ours.administrator);
  const ofOurs = (...more: Owner[]) => ({ visible: new Set([ours.owner, ...more]), own: ours });
  const byKey = (name: string, credential: Credential): Persona => ({ ...nobody, name, gate: v1, credential });
  const byPage = (name: string, given: Credential): Persona => {
    return { ...nobody, name, gate: admin, credential: { ...origin, ...given } };
  };
  return [
    { ...byKey('a key', bearer(ours.keys.full.secret)), ...ofOurs() },
    { ...byKey('a read-only key', bearer(ours.keys.read.secret)), ...ofOurs(), isBrief: true },
    byKey('a deleted key', bearer(ours.keys.deleted.secret)),
    byKey('an expired key', bearer(ours.keys.expired.secret)),
    byKey('another account’s deleted key', bearer(theirs.keys.deleted.secret)),
    byKey('another account’s expired key', bearer(theirs.keys.expired.secret)),
    byKey('a session instead of a key', ours.session),
    byKey('no key', {}),
    {
      ...byPage('an administrator, member of a third account', ours.session),
      ...ofOurs(administratorsOf(ours.owner), ourself),
      victims: [third.bait, theirs.bait],
    },
    { ...byPage('a member', ours.memberSession), ...ofOurs(nameOf(ours.member)), isBrief: true },
    {
      ...byPage('a guest of the third account', guestSession),
      visible: new Set([third.owner, ourself]),
      own: third,
      victims: [ours.bait, theirs.bait],
    },
    byPage('a signed-out session', endedSession),
    byPage('a key instead of a session', bearer(ours.keys.full.secret)),
    byPage('no session', {}),
  ];
}

/** Operations that end the session in use. */
const ENDING = /sign-out|revoke-other-sessions/;
/** Operations on a user, not on an account. */
const OF_PERSON = /^\/admin\/(?:session|auth)\b/;

export type Task = ReturnType<typeof tasksOf>[number];

export function tasksOf(persona: Persona, isThorough: boolean) {
  const { gate, own, victims, isBrief = own === undefined } = persona;
  const operations = gate.operations.filter((operation) => own === undefined || !ENDING.test(operation.path));
  const all = operations.flatMap((operation) => {
    const isOpen = own === undefined && isOfPeople(operation);
    const places = !isBrief || isOpen || isThorough ? asksOf(gate, operation, isThorough) : [];
    // Callers without access get the same rejection in every format.
    const formats = own === undefined && !isThorough ? [] : formatAsksOf(gate, operation);
    return [wholeAskOf(gate, operation), ...places, ...formats];
  });
  if (!isBrief || isThorough) all.push(...methodAsksOf(gate, isThorough));
  return all.flatMap((ask) => {
    // A user's own data is the same in all of their accounts.
    const [first, ...others] = OF_PERSON.test(ask.path) ? victims.slice(-1) : victims;
    const asked = (isThorough ? [first, ...others] : [first]).filter((victim) => victim !== undefined);
    return asked.filter((victim) => !isOwnPast(ask, victim, own)).map((victim) => ({ persona, ask, victim }));
  });
}

export async function endingTasks({ founder, gates, ours, theirs }: World): Promise<Task[]> {
  const { owner, accountId } = ours;
  const tasks: Task[] = [];
  for (const operation of gates.admin.operations.filter(({ path }) => ENDING.test(path))) {
    const person = await founder.join(owner, accountId, 'member');
    const credential = await founder.signIn(person, owner);
    const visible = new Set([owner, nameOf(person)]);
    const victims = [theirs.bait];
    const persona = { name: 'a member who ends sessions', gate: gates.admin, credential, visible, own: ours, victims };
    const { operation: name, method, path } = wholeAskOf(gates.admin, operation);
    const ask = { operation: name, place: 'their own session', method, path: path.split('?', 1).join(), headers: {} };
    tasks.push({ persona, ask, victim: theirs.bait });
  }
  return tasks;
}

/** Whether the sequence is no secret, because the caller's own account has reached it too. */
function isOwnPast({ path }: Ask, { sequence }: Bait, own: Persona['own']): boolean {
  return path.includes('<sequence>') && Number(sequence) <= Number(own?.bait.sequence);
}
