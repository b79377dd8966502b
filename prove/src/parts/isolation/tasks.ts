import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import type { Ask } from './ask.ts';
import { asksOf, formatAsksOf, methodAsksOf, wholeAskOf } from './asks.ts';
import type { Bait } from './bait.ts';
import type { Persona } from './personas.ts';
import { nameOf } from './tenant.ts';
import type { World } from './world.ts';

/** Operations that would end the session with which others are tried. */
const ENDING = /sign-out|revoke-other-sessions/;
/** About a person and not about an account. */
const OF_PERSON = /^\/admin\/(?:session|auth)\b/;

/** What somebody asks for. */
export interface Task {
  persona: Persona;
  ask: Ask;
  victim: Bait;
}

/** All that somebody is to ask for, whoever it belongs to. */
export function tasksOf(persona: Persona, isThorough: boolean): Task[] {
  const { gate, own, victims, isBrief = own === undefined } = persona;
  const operations = gate.operations.filter((operation) => own === undefined || !ENDING.test(operation.path));
  const all = operations.flatMap((operation) => {
    const isOpen = own === undefined && isOfPeople(operation);
    const places = !isBrief || isOpen || isThorough ? asksOf(gate, operation, isThorough) : [];
    // Who is not let in is told nothing, in whichever format.
    const formats = own === undefined && !isThorough ? [] : formatAsksOf(gate, operation);
    return [wholeAskOf(gate, operation), ...places, ...formats];
  });
  if (!isBrief || isThorough) all.push(...methodAsksOf(gate, isThorough));
  return all.flatMap((ask) => {
    // What is one's own wherever one works is no fault.
    const [first, ...others] = OF_PERSON.test(ask.path) ? victims.slice(-1) : victims;
    const asked = (isThorough ? [first, ...others] : [first]).filter((victim) => victim !== undefined);
    return asked.filter((victim) => !isOwnPast(ask, victim, own)).map((victim) => ({ persona, ask, victim }));
  });
}

/** What ends sessions, each for a session of its own. */
export async function endingTasks({ founder, gates, ours, theirs }: World): Promise<Task[]> {
  const { owner, accountId } = ours;
  const tasks: Task[] = [];
  for (const operation of gates.admin.operations.filter(({ path }) => ENDING.test(path))) {
    const person = await founder.join(owner, accountId, 'member');
    const credential = await founder.signIn(person, owner);
    const visible = new Set([owner, nameOf(person)]);
    const persona = {
      name: 'who ends sessions',
      gate: gates.admin,
      credential,
      visible,
      own: ours,
      victims: [theirs.bait],
    };
    const { operation: name, method, path } = wholeAskOf(gates.admin, operation);
    const ask = { operation: name, place: 'their own session', method, path: path.split('?', 1).join(), headers: {} };
    tasks.push({ persona, ask, victim: theirs.bait });
  }
  return tasks;
}

/** A sequence of theirs that one's own account has had as well is no secret. */
function isOwnPast({ path }: Ask, { sequence }: Bait, own: Persona['own']): boolean {
  return path.includes('<sequence>') && Number(sequence) <= Number(own?.bait.sequence);
}
