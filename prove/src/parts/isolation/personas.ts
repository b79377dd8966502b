import type { Bait } from './bait.ts';
import type { Owner } from './canaries.ts';
import { administratorsOf, bearer, type Credential, nameOf } from './tenant.ts';
import type { Filled, Gate, World } from './world.ts';

/** Somebody who asks for what is not theirs. */
export interface Persona {
  name: string;
  gate: Gate;
  credential: Credential;
  /** Whose things they may see. */
  visible: ReadonlySet<Owner>;
  /** None is let in at all without an account of their own. */
  own: Filled | undefined;
  /** Whether others of the account try each place as they would; only a thorough trial lets them do so, too. */
  isBrief?: boolean;
  /** What they ask for. */
  victims: Bait[];
}

/** Every credential that there is, each with what it may see. */
export function createPersonas({
  gates: { v1, admin },
  ours,
  theirs,
  third,
  guestSession,
  endedSession,
  founder,
}: World): Persona[] {
  const nobody = { visible: new Set<Owner>(), own: undefined, victims: [theirs.bait] };
  const origin = { Origin: founder.url };
  const ourself = nameOf(ours.administrator);
  const byKey = (name: string, credential: Credential): Persona => ({ ...nobody, name, gate: v1, credential });
  const byPage = (name: string, credential: Credential): Persona => ({
    ...nobody,
    name,
    gate: admin,
    credential: { ...origin, ...credential },
  });
  return [
    { ...byKey('a key', bearer(ours.keys.full.secret)), visible: new Set([ours.owner]), own: ours },
    {
      ...byKey('a reading key', bearer(ours.keys.read.secret)),
      visible: new Set([ours.owner]),
      own: ours,
      isBrief: true,
    },
    byKey('a deleted key', bearer(ours.keys.deleted.secret)),
    byKey('a key that is over', bearer(ours.keys.expired.secret)),
    byKey('a deleted key of theirs', bearer(theirs.keys.deleted.secret)),
    byKey('a key of theirs that is over', bearer(theirs.keys.expired.secret)),
    byKey('a session in place of a key', ours.session),
    byKey('no key', {}),
    {
      ...byPage('an administrator, member of a third account', ours.session),
      visible: new Set([ours.owner, administratorsOf(ours.owner), ourself]),
      own: ours,
      victims: [third.bait, theirs.bait],
    },
    {
      ...byPage('a member', ours.memberSession),
      visible: new Set([ours.owner, nameOf(ours.member)]),
      own: ours,
      isBrief: true,
    },
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
