import type { PlantedFault } from '../../part.ts';

/** What would make each of the promises untrue. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'wrong passwords are not counted',
    foundBy: 'from one address',
    patches: [['SlottedLimiter.#waitMs', 'Math.min(', '0 * Math.min(']],
  },
  {
    what: 'guesses on one account are counted only where they come from',
    foundBy: 'on one account from many addresses',
    patches: [['PasswordAttempts.#pointsOf', 'if (isSignedIn)', 'if (true)']],
  },
  {
    what: 'guesses from one address are counted only by the account that they are about',
    foundBy: 'over many accounts',
    patches: [['PasswordAttempts.#pointsOf', 'networkOf(address)', 'placeOf(attempt)']],
  },
  {
    what: 'any client can forge its address',
    foundBy: 'that lie about their address',
    patches: [['clientAddress', ' || !isTrusted(peer, trusted)', '']],
  },
  {
    what: 'an unknown address is refused without hashing',
    foundBy: 'the time tells who is known',
    patches: [['createBetterAuth', 'hash: hashPassword', "hash: async () => ''"]],
  },
  {
    what: 'a text is normalised however many accents it has',
    foundBy: 'stopped a worker for',
    patches: [['toNfc', 'hasTooManyMarks(text)', 'false']],
  },
  {
    what: 'the code of an app works as long as it is shown',
    foundBy: 'were let in',
    patches: [['single-use-codes:singleUseCodes', '!isFirst', 'false']],
  },
  {
    what: 'an invitation can be used again',
    foundBy: 'that was used',
    patches: [['accept', 'await removeInvitation(transaction, accountId, id)', 'void id']],
  },
  {
    what: 'other sessions still work after a password change',
    foundBy: 'after another password an older session goes on',
    patches: [
      ['afterPasswordChange', 'await removeSessions(transaction, sessionActor.userId);', ''],
      ['changePassword', 'revokeOtherSessions: true', 'revokeOtherSessions: false'],
      ['changePassword', 'await getNewSession(headers, services)', 'currentSession'],
    ],
  },
  {
    what: 'other pages may frame the dashboard',
    foundBy: 'has a policy without',
    patches: [['policy', `"frame-ancestors 'none'",`, '']],
  },
  {
    what: 'people sign up by a route of better-auth',
    foundBy: ', which only better-auth has, is answered',
    patches: [
      [
        'authEndpoints',
        'endpoint(signOutOperation',
        `endpoint({ ...signInOperation, path: '/auth/sign-up/email' }, async (exchange, { services }) => {
          const body = { name: 'Somebody', ...(await readInput(exchange, signIn)) };
          return replyJson(200, JSON.stringify(await services.identity.call((api) => api.signUpEmail({ body }))));
        }),
        endpoint(signOutOperation`,
      ],
    ],
  },
  {
    what: 'the user who accepts an invitation chooses their role',
    foundBy: 'an invited member who claims another role is',
    patches: [
      ['acceptance', 'strictObject({', 'strictObject({ role: z.string().optional(),'],
      ['acceptInvitation', 'const { user } =', 'globalThis.roleOfBody = given.role; const { user } ='],
      ['accept', 'user, role, actor', 'user, globalThis.roleOfBody ?? role, actor'],
    ],
  },
  {
    what: 'pages of other sites can make changes',
    foundBy: 'a change from there',
    patches: ['admitAnyone', 'admitUser', 'admitMember'].map((symbol) => [
      symbol,
      'requireSameOrigin(exchange.incoming, services);',
      '',
    ]),
  },
];
