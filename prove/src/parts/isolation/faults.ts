import type { Fault, Patch } from '../../part.ts';

const STORAGE = 'server/src/storage';
const OF_ACCOUNT = `    .where('account_id', '=', parameter('accountId'))\n`;

/** A query that forgets the account; `after` is what follows, so that it is the one that is meant. */
function forget(file: string, after: string, before = ''): Patch {
  return { file: `${STORAGE}/${file}`, from: before + OF_ACCOUNT + after, to: before + after };
}

const BY_ID_ALONE: Omit<Fault, 'name'> = {
  what: 'a statement changes a listing by its id, which nobody can see from outside',
  patches: [forget('listings.ts', `    .where('id', '=', parameter('id')),\n);\n\n/** Replaces`)],
};

/** The same on the other engine, whose statements are known from its own log. */
export const ON_POSTGRES: Fault = {
  ...BY_ID_ALONE,
  name: 'statement-postgres',
  what: `${BY_ID_ALONE.what}, on PostgreSQL`,
};

export const FAULTS: readonly Fault[] = [
  {
    name: 'listing',
    what: 'a listing is read by its id alone',
    patches: [
      forget(
        'listings.ts',
        `    .where('id', '=', parameter('id')),\n`,
        `    .select(['id', 'version', 'sequence', 'doc'])\n`,
      ),
    ],
  },
  {
    name: 'list',
    what: 'the list reads the listings of all accounts',
    patches: [forget('listing-runs.ts', `    .where('id', '<', parameter('beforeId'))\n    .orderBy`)],
  },
  {
    name: 'search',
    what: 'a search reads the listings of all accounts',
    patches: [
      {
        file: `${STORAGE}/search-conditions.ts`,
        from: 'facets.account_id = ',
        to: 'facets.account_id >= ',
      },
    ],
  },
  {
    name: 'count',
    what: 'the overview counts the listings of all accounts',
    patches: [
      {
        file: `${STORAGE}/searches.ts`,
        from: `fn.max('created_at').as('newestAt')])\n      .where('account_id', '=', accountId)\n`,
        to: `fn.max('created_at').as('newestAt')])\n`,
      },
    ],
  },
  {
    name: 'events',
    what: 'events of all accounts are told',
    patches: [
      {
        file: `${STORAGE}/events.ts`,
        from: `    .where('events.account_id', '=', parameter('accountId'))\n`,
        to: '',
      },
    ],
  },
  {
    name: 'replay',
    what: 'an Idempotency-Key of another account is replayed',
    patches: [
      forget(
        'idempotency-records.ts',
        `    .where('key', '=', parameter('key')),\n`,
        `    .select(['key', 'fingerprint', 'outcome', 'expires_at as expiresAt'])\n`,
      ),
    ],
  },
  {
    name: 'external-id',
    what: 'an external id that another account uses is taken, with the id of its listing',
    patches: [
      {
        file: `${STORAGE}/listings.ts`,
        from: `    .where('facets.account_id', '=', parameter('accountId'))\n    .where('external_id'`,
        to: `    .where('external_id'`,
      },
    ],
  },
  {
    name: 'key-deletion',
    what: 'a key can be deleted by who knows its id',
    patches: [
      {
        file: `${STORAGE}/api-keys.ts`,
        from: `    .where('api_keys.account_id', '=', parameter('accountId'))\n`,
        to: '',
      },
      forget('api-keys.ts', `    .where('id', '=', parameter('id'))\n    .returning('id'),\n`),
    ],
  },
  {
    name: 'key-exists',
    what: 'whoever names a key of another account is told that it is there',
    patches: [
      {
        file: 'server/src/domain/api-keys.ts',
        from: `  if (accountId === undefined || key === undefined) throw noKey(keyId);`,
        to: `  if (key === undefined && (await findKeyOwner(database, keyId)) !== undefined) throw new AppError('forbidden', 'This key is not yours.');
  if (accountId === undefined || key === undefined) throw noKey(keyId);`,
      },
    ],
  },
  {
    name: 'members',
    what: 'members of all accounts are listed',
    patches: [forget('memberships.ts', `    .orderBy('memberships.created_at')`)],
  },
  {
    name: 'invitations',
    what: 'an invitation can be taken back by who knows its id',
    patches: [forget('invitations.ts', `    .where('id', '=', parameter('id'))\n`)],
  },
  {
    name: 'audit',
    what: 'the audit log tells of all accounts',
    patches: [forget('audit.ts', `    .where('id', '<', parameter('before'))\n`)],
  },
  {
    name: 'error',
    what: 'an error message names what another account is called',
    patches: [
      {
        file: 'server/src/domain/memberships.ts',
        from: `throw new AppError('not_found', 'You belong to no such account.');`,
        to: `throw new AppError('not_found', \`You do not belong to \${(await (await import('../storage/accounts.ts')).findAccount(database, accountId))?.name}.\`);`,
      },
    ],
  },
  {
    name: 'cursor',
    what: 'a cursor of another account is taken',
    patches: [
      {
        file: 'server/src/http/routes/listings.ts',
        from: 'holder.accountId}\\n',
        to: `'any'}\\n`,
      },
    ],
  },
  {
    name: 'etag',
    what: 'a list that another account has kept is called unchanged',
    patches: [
      {
        file: 'server/src/http/routes/listings.ts',
        from: 'const etag = listTag(accountId, epoch, sequence, ...shape, release);',
        to: 'const etag = listTag(epoch, ...shape, release);',
      },
    ],
  },
  {
    name: 'log',
    what: 'a line of the log names the account that was served before',
    patches: [
      {
        file: 'server/src/http/protocol/log-request.ts',
        from: `"msg":"request"}\\n`,
        to: `\${nameLast(holder)}"msg":"request"}\\n`,
      },
      {
        file: 'server/src/http/protocol/log-request.ts',
        from: '/** The member of the line',
        to: `let last = '';

function nameLast(holder: Principal | undefined): string {
  const text = \`"before":"\${last}",\`;
  last = holder?.accountId ?? last;
  return text;
}

/** The member of the line`,
      },
    ],
  },
  { ...BY_ID_ALONE, name: 'statement' },
  ON_POSTGRES,
  {
    name: 'woken',
    what: 'who waits is answered when something happens in another account',
    patches: [
      {
        file: 'server/src/domain/event-hub.ts',
        from: 'if (this.#waiters.has(accountId)) void this.#wakeChanged([accountId]);',
        to: 'for (const waiter of this.#waitersOf([...this.#waiters.keys()])) waiter.end();',
      },
      {
        file: 'server/src/domain/events.ts',
        from: '    if (signal.aborted) return page;\n',
        to: '    if (signal.aborted) return page;\n    return eventHub.read(accountId, async () => read(await getLiveHead(database, holder)));\n',
      },
    ],
  },
  {
    name: 'connection',
    what: 'the first key of a connection counts for all of its requests',
    patches: [
      {
        file: 'server/src/http/gate/authenticate.ts',
        from: "  if (found !== undefined && 'holder' in found) return found;\n",
        to: "  const { socket } = exchange.incoming;\n  if (found !== undefined && 'holder' in found) {\n    const first = Reflect.get(socket, 'first') ?? found;\n    Reflect.set(socket, 'first', first);\n    return first;\n  }\n",
      },
    ],
  },
  {
    name: 'latest',
    what: 'a long list goes on with the account of the latest request',
    patches: [
      {
        file: 'server/src/http/app.ts',
        from: '        exchange.holder = holder;\n',
        to: "        exchange.holder = holder;\n        Reflect.set(globalThis, 'latest', holder.accountId);\n",
      },
      {
        file: 'server/src/domain/find-listings.ts',
        from: 'findListingRun(database, holder.accountId, range)',
        to: "findListingRun(database, Reflect.get(globalThis, 'latest'), range)",
      },
    ],
  },
];
