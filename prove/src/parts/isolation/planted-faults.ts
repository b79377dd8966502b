import type { Patch, PlantedFault } from '../../part.ts';

/** A statement that forgets the account. */
function forget(symbol: string, column = 'account_id'): Patch {
  return [symbol, `.where('${column}', '=', parameter('accountId'))`, ''];
}

const READ = 'an answer tells of others';
const LISTED = 'shows what others have to ';
const COUNTED = 'gets counts that are not its own';
const TOLD_APART = 'what is theirs is answered otherwise than what never was';

const BY_ID_ALONE: PlantedFault = {
  what: 'a statement changes a listing by its id alone, which is invisible from outside',
  foundBy: "statements touch an account's table and name no account",
  patches: [forget('listings:update')],
};

/** The same on the other engine, whose statements are known from its own log. */
export const ON_POSTGRES: PlantedFault = { ...BY_ID_ALONE, what: `${BY_ID_ALONE.what}, on PostgreSQL` };

export const plantedFaults: readonly PlantedFault[] = [
  { what: 'a listing is read by its id alone', foundBy: READ, patches: [forget('findListing')] },
  { what: 'the list reads the listings of all accounts', foundBy: LISTED, patches: [forget('selectRun')] },
  {
    what: 'a search reads the listings of all accounts',
    foundBy: COUNTED,
    patches: [['isMatch', 'account_id =', 'account_id >=']],
  },
  {
    what: 'the overview counts the listings of all accounts',
    foundBy: COUNTED,
    patches: [['countByStatus', ".where('account_id', '=', accountId)", '']],
  },
  {
    what: 'events of all accounts are returned',
    foundBy: LISTED,
    patches: [forget('selectAfter', 'events.account_id')],
  },
  {
    what: 'an Idempotency-Key of another account is replayed',
    foundBy: TOLD_APART,
    patches: [forget('findIdempotencyRecord')],
  },
  {
    what: 'an external id that another account uses is taken, with the id of its listing',
    foundBy: READ,
    patches: [forget('findListingByExternalId', 'facets.account_id')],
  },
  {
    what: 'anyone who knows the id of a key can delete it',
    foundBy: TOLD_APART,
    patches: [forget('findKeyDetails', 'api_keys.account_id'), forget('removeApiKey')],
  },
  {
    what: 'the response shows that a key of another account exists',
    foundBy: TOLD_APART,
    patches: [
      [
        'deleteApiKey',
        'if (accountId === undefined',
        `if (key === undefined && (await findKeyOwner(database, keyId)) !== undefined) throw new AppError('forbidden', 'No.');
        if (accountId === undefined`,
      ],
    ],
  },
  {
    what: 'members of all accounts are listed',
    foundBy: LISTED,
    patches: [['listMembers', 'parameter)', 'parameter).clearWhere()']],
  },
  {
    what: 'anyone who knows the id of an invitation can revoke it',
    foundBy: TOLD_APART,
    patches: [forget('removeById')],
  },
  { what: 'the audit log lists entries of all accounts', foundBy: LISTED, patches: [forget('selectBefore')] },
  {
    what: 'an error message names what another account is called',
    foundBy: READ,
    patches: [
      [
        'findAccount',
        'firstRow(',
        `((find) => async (executor, id) => {
          const account = await find(executor, id);
          (globalThis.names ??= {})[id] = account?.name;
          return account;
        })(firstRow(`,
      ],
      ['findAccount', ".where('id', '=', parameter('id'))", ".where('id', '=', parameter('id')))"],
      [
        'chooseAccount',
        "'You are not a member of this account.'",
        "'You do not belong to ' + globalThis.names?.[accountId]",
      ],
    ],
  },
  {
    what: 'a cursor of another account is taken',
    foundBy: TOLD_APART,
    patches: [['list', 'principal.accountId', "'any'"]],
  },
  {
    what: 'a list that another account has cached gets 304',
    foundBy: TOLD_APART,
    patches: [['list', 'listTag(accountId, epoch, sequence,', 'listTag(epoch,']],
  },
  {
    what: 'a line of the log names the account that was served before',
    foundBy: 'a line of the log tells of others',
    patches: [
      [
        'requestLine',
        '"msg":"request"',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a piece of a template in the service.
        '"before":"${[globalThis.last, (globalThis.last = principal?.accountId ?? globalThis.last)][0]}","msg":"request"',
      ],
    ],
  },
  BY_ID_ALONE,
  ON_POSTGRES,
  {
    what: 'a long poll returns when another account changes',
    foundBy: 'a request that waits was answered when something happened in another account',
    patches: [
      [
        'EventHub.#onWritten',
        '=> {',
        '=> { for (const waiter of this.#waitersOf([...this.#waiters.keys()])) waiter.end();',
      ],
      [
        'followEvents',
        'if (signal.aborted) return page;',
        `if (signal.aborted) return page;
        return eventHub.read(accountId, async () => read(await getLiveHead(database, principal)));`,
      ],
    ],
  },
  {
    what: 'the first key of a connection counts for all of its requests',
    foundBy: LISTED,
    patches: [
      [
        'requireApiKey',
        "'principal' in found) return found;",
        "'principal' in found) return (exchange.incoming.socket.first ??= found);",
      ],
    ],
  },
  {
    what: 'a long list goes on with the account of the latest request',
    foundBy: 'among the requests of two accounts tells of the other',
    patches: [
      ['admitKey', 'const admitted =', 'globalThis.latest = principal.accountId; const admitted ='],
      ['readRest', 'principal.accountId', 'globalThis.latest'],
    ],
  },
];
