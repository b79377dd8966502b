import { isOfPeople } from '../../../../testkit/src/openapi.ts';
import type { Ask } from './ask.ts';
import { asksOf, formatAsksOf, methodAsksOf, wholeAskOf } from './asks.ts';
import type { Bait } from './bait.ts';
import type { Persona } from './personas.ts';
import { nameOf } from './tenant.ts';
import type { World } from './world.ts';

/** These end the session in use. */
const ENDING = /sign-out|revoke-other-sessions/;
/** About a person, not an account. */
const OF_PERSON = /^\/admin\/(?:session|auth)\b/;

export interface Task {
  persona: Persona;
  ask: Ask;
  victim: Bait;
}

/** All requests of a persona. */
export function tasksOf(persona: Persona, isThorough: boolean): Task[] {
  const { gate, own, victims, isBrief = own === undefined } = persona;
  const operations = gate.operations.filter((operation) => own === undefined || !ENDING.test(operation.path));
  const all = operations.flatMap((operation) => {
    const isOpen = own === undefined && isOfPeople(operation);
    const places = !isBrief || isOpen || isThorough ? asksOf(gate, operation, isThorough) : [];
    // Callers without access learn nothing in any format.
    const formats = own === undefined && !isThorough ? [] : formatAsksOf(gate, operation);
    return [wholeAskOf(gate, operation), ...places, ...formats];
  });
  if (!isBrief || isThorough) all.push(...methodAsksOf(gate, isThorough));
  return all.flatMap((ask) => {
    // A person's own data is the same in all accounts.
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
    const persona = { name: 'who ends sessions', gate: gates.admin, credential, visible, own: ours, victims };
    const { operation: name, method, path } = wholeAskOf(gates.admin, operation);
    const ask = { operation: name, place: 'their own session', method, path: path.split('?', 1).join(), headers: {} };
    tasks.push({ persona, ask, victim: theirs.bait });
  }
  return tasks;
}

/** A sequence that the own account has reached is no secret. */
function isOwnPast({ path }: Ask, { sequence }: Bait, own: Persona['own']): boolean {
  return path.includes('<sequence>') && Number(sequence) <= Number(own?.bait.sequence);
}
