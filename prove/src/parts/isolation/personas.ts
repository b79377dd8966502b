import type { Bait } from './bait.ts';
import type { Owner } from './canaries.ts';
import { administratorsOf, bearer, type Credential, nameOf } from './tenant.ts';
import type { Filled, Gate, World } from './world.ts';

/** A caller that asks for foreign data. */
export interface Persona {
  name: string;
  gate: Gate;
  credential: Credential;
  /** What they may see. */
  visible: ReadonlySet<Owner>;
  /** Undefined for callers without access. */
  own: Filled | undefined;
  /** Tries fewer places, unless the trial is thorough. */
  isBrief?: boolean;
  victims: Bait[];
}

/** Every kind of credential, with what it may see. */
export function createPersonas(world: World): Persona[] {
  const { ours, theirs, third, guestSession, endedSession, founder } = world;
  const { v1, admin } = world.gates;
  const nobody = { visible: new Set<Owner>(), own: undefined, victims: [theirs.bait] };
  const origin = { Origin: founder.url };
  const ourself = nameOf(ours.administrator);
  const ofOurs = (...more: Owner[]) => ({ visible: new Set([ours.owner, ...more]), own: ours });
  const byKey = (name: string, credential: Credential): Persona => ({ ...nobody, name, gate: v1, credential });
  const byPage = (name: string, credential: Credential): Persona => ({
    ...nobody,
    name,
    gate: admin,
    credential: { ...origin, ...credential },
  });
  return [
    { ...byKey('a key', bearer(ours.keys.full.secret)), ...ofOurs() },
    { ...byKey('a reading key', bearer(ours.keys.read.secret)), ...ofOurs(), isBrief: true },
    byKey('a deleted key', bearer(ours.keys.deleted.secret)),
    byKey('a key that is over', bearer(ours.keys.expired.secret)),
    byKey('a deleted key of theirs', bearer(theirs.keys.deleted.secret)),
    byKey('a key of theirs that is over', bearer(theirs.keys.expired.secret)),
    byKey('a session in place of a key', ours.session),
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
    byPage('an ended session', endedSession),
    byPage('a key in place of a session', bearer(ours.keys.full.secret)),
    byPage('no session', {}),
  ];
}
