/** A statement, without quotes, that does not name an account for these tables. */
export interface Exception {
  tables: readonly string[];
  statement: RegExp;
  why: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    tables: ['api_keys', 'account_heads'],
    statement: /^select holder\..* from \( select .* where hash = \? *\) as holder$/,
    why: 'a key is found by its hash and names its account',
  },
  {
    tables: ['api_keys'],
    statement: /^insert into rate_limits .* from api_keys where hash = \? /,
    why: 'a request is counted by the hash of its key',
  },
  {
    tables: ['invitations', 'accounts'],
    statement: /^select .* where \(hash = \? or mailed_hash = \?\) and expires_at > \?$/,
    why: 'an invitation is found by the hash of its token and names its account',
  },
  {
    tables: ['memberships', 'accounts'],
    statement: /^select accounts\.id .* where user_id = \? order by accounts\.id$/,
    why: 'the accounts of a signed-in user',
  },
  {
    tables: ['memberships'],
    statement: /^select user_id as userId from memberships where role = \? limit \+?\s?\?$/,
    why: 'whether an administrator exists: until then, the setup link is open',
  },
  {
    tables: ['memberships'],
    statement: /^delete from users where not exists \(select user_id from memberships where user_id = users\.id\)$/,
    why: 'users without an account are removed',
  },
  {
    tables: ['accounts'],
    statement: /^select id from accounts where id > \? order by id limit \+?\s?\?$/,
    why: 'work on all accounts: the purge of old events, and the setup',
  },
  {
    tables: ['invitations', 'idempotency_keys', 'key_hours'],
    statement:
      /^delete from \w+ where (?:expires_at <= \?$|\(account_id, .* in \(select account_id, .* (?:<=|<) \? limit )/,
    why: 'the purge of expired rows of all accounts',
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
    why: 'on SQLite, the word index has no such column: words start with a mark of their account, and rows are found through `listing_facets`',
  },
];

/** Statements for all accounts together, with the ids that they concern. */
export const FOR_ALL: readonly Exception['statement'][] = [
  // Key use is written every five seconds.
  /^update api_keys set last_used_at/,
  /^insert into key_hours /,
  // Long polls of all accounts.
  /^select account_id as accountId, sequence from account_heads where account_id in /,
  // The purge goes through all accounts.
  /^select sequence, created_at as createdAt, doc from events /,
];
