/** A statement, as it is without quotes, that names no account for these tables. */
export interface Exception {
  tables: readonly string[];
  statement: RegExp;
  why: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    tables: ['api_keys', 'account_heads'],
    statement: /^select holder\..* from \( select .* where hash = \? *\) as holder$/,
    why: 'a key is found by its hash, and says which account it is of',
  },
  {
    tables: ['api_keys'],
    statement: /^insert into rate_limits .* from api_keys where hash = \? /,
    why: 'a request is counted by the hash of its key',
  },
  {
    tables: ['invitations', 'accounts'],
    statement: /^select .* where \(hash = \? or mailed_hash = \?\) and expires_at > \?$/,
    why: 'an invitation is found by the hash of its token, and says which account it is to',
  },
  {
    tables: ['memberships', 'accounts'],
    statement: /^select accounts\.id .* where user_id = \? order by accounts\.id$/,
    why: 'the accounts of somebody who is signed in',
  },
  {
    tables: ['memberships'],
    statement: /^select user_id as userId from memberships where role = \? limit \+?\s?\?$/,
    why: 'whether anybody is an administrator: until then the setup link is open',
  },
  {
    tables: ['memberships'],
    statement: /^delete from users where not exists \(select user_id from memberships where user_id = users\.id\)$/,
    why: 'who belongs to no account any more is removed',
  },
  {
    tables: ['accounts'],
    statement: /^select id from accounts where id > \? order by id limit \+?\s?\?$/,
    why: 'what goes through all accounts: the purge of old events, and the setup while there is nobody',
  },
  {
    tables: ['invitations', 'idempotency_keys', 'key_hours'],
    statement:
      /^delete from \w+ where (?:expires_at <= \?$|\(account_id, .* in \(select account_id, .* (?:<=|<) \? limit )/,
    why: 'what is over is purged, whosever it is',
  },
  {
    tables: ['accounts', 'account_heads', 'api_keys', 'events', 'listings'],
    statement: /^create table users |alter table account_heads add column /,
    why: 'a migration changes tables, for all accounts together',
  },
  {
    tables: ['listing_words'],
    statement:
      /^insert into listing_words \((?:rowid, )?words\)|^select coalesce\(\(select rowid from listing_words order by rowid desc limit 1\), 0\)|^delete from listing_words where rowid = \?$|listing_words match \?/,
    why: 'on SQLite the index of words has no such column: each word begins with a mark of its account, and rows are found by way of `listing_facets`',
  },
];

/** Statements that are run for all accounts together, each time with the id of the one that they are about. */
export const FOR_ALL: readonly Exception['statement'][] = [
  // What was counted is written every five seconds.
  /^update api_keys set last_used_at/,
  /^insert into key_hours /,
  // Whoever waits for events, of whichever account.
  /^select account_id as accountId, sequence from account_heads where account_id in /,
  // The purge of old events goes through all accounts.
  /^select sequence, created_at as createdAt, doc from events /,
];
