import type { Fault } from '../../part.ts';

const IDENTITY = 'server/src/http/identity';
const ROUTES = 'server/src/http/routes';

/** What would make each of the promises untrue. */
export const faults: readonly Fault[] = [
  {
    name: 'uncounted',
    what: 'wrong passwords are not counted',
    patches: [
      {
        file: `${IDENTITY}/slotted-limiter.ts`,
        from: 'return Math.min(',
        to: 'return 0 * Math.min(',
      },
    ],
  },
  {
    name: 'uncounted-people',
    what: 'guesses on one account are counted only where they come from',
    patches: [{ file: `${IDENTITY}/attempts.ts`, from: 'if (isSignedIn) return atAddress;', to: 'return atAddress;' }],
  },
  {
    name: 'uncounted-places',
    what: 'guesses from one address are counted only by the account that they are about',
    patches: [
      {
        file: `${IDENTITY}/attempts.ts`,
        from: '{ limiter: this.#byAddress, text: networkOf(address), which: FROM_ADDRESS },',
        to: '',
      },
    ],
  },
  {
    name: 'forged',
    what: 'anybody may say where they come from',
    patches: [
      {
        file: 'server/src/http/protocol/client-address.ts',
        from: ' || !isTrusted(peer, trusted)) return peer;',
        to: ') return peer;',
      },
    ],
  },
  {
    name: 'quick',
    what: 'an unknown address is refused without hashing',
    patches: [
      {
        file: `${IDENTITY}/better-auth.ts`,
        from: 'password: { hash: hashPassword,',
        to: "password: { hash: async () => '',",
      },
    ],
  },
  {
    name: 'sorting',
    what: 'a text is normalised however many accents it has',
    patches: [{ file: 'server/src/lib/nfc.ts', from: 'return hasTooManyMarks(text) ? text :', to: 'return' }],
  },
  {
    name: 'codes',
    what: 'the code of an app works as long as it is shown',
    patches: [{ file: `${IDENTITY}/single-use-codes.ts`, from: 'if (!isFirst)', to: 'if (false)' }],
  },
  {
    name: 'twice',
    what: 'an invitation can be used again',
    patches: [
      {
        file: 'server/src/domain/acceptance.ts',
        from: '  await removeInvitation(session, accountId, id);',
        to: '  void id;',
      },
    ],
  },
  {
    name: 'surviving',
    what: 'other sessions go on after the password was changed',
    patches: [
      { file: 'server/src/domain/profile.ts', from: '  await removeSessions(session, self.userId);', to: '' },
      { file: `${ROUTES}/profile.ts`, from: 'revokeOtherSessions: true', to: 'revokeOtherSessions: false' },
      {
        file: `${ROUTES}/profile.ts`,
        from: 'const renewed = await getNewSession(headers, services);',
        to: 'const renewed = signedIn;',
      },
    ],
  },
  {
    name: 'framed',
    what: 'other pages may frame the dashboard',
    patches: [{ file: `${ROUTES}/dashboard.ts`, from: `    "frame-ancestors 'none'",`, to: '' }],
  },
  {
    name: 'mounted',
    what: 'people sign up by a route of better-auth',
    patches: [
      {
        file: `${ROUTES}/auth.ts`,
        from: '  addOperation(mount, signOutOperation,',
        to: `  addOperation(mount, { ...signInOperation, path: '/auth/sign-up/email' }, async (exchange) => {
            const body = { name: 'Somebody', ...(await readInput(exchange, signIn)) };
            return replyJson(200, JSON.stringify(await services.identity.call((api) => api.signUpEmail({ body }))));
          });
          addOperation(mount, signOutOperation,`,
      },
    ],
  },
  {
    name: 'role',
    what: 'whoever accepts an invitation says what they may do',
    patches: [
      {
        file: 'server/src/http/contract/schemas/identity.ts',
        from: 'export const acceptance = z.strictObject({',
        to: 'export const acceptance = z.strictObject({ role: z.string().optional(),',
      },
      {
        file: `${ROUTES}/invitations.ts`,
        from: 'const given = await readInput(exchange, acceptance);',
        to: 'const given = await readInput(exchange, acceptance); globalThis.roleOfBody = given.role;',
      },
      {
        file: 'server/src/domain/acceptance.ts',
        from: 'await join(session, accountId, user, role, actor);',
        to: 'await join(session, accountId, user, globalThis.roleOfBody ?? role, actor);',
      },
    ],
  },
  {
    name: 'origin',
    what: 'pages elsewhere may change something',
    patches: [{ file: `${IDENTITY}/admit.ts`, from: '  requireSameOrigin(exchange.incoming, services);', to: '' }],
  },
];
