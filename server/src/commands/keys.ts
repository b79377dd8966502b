import { type Command, InvalidArgumentError } from 'commander';
import { getAccount } from '../domain/accounts/accounts.ts';
import { deleteApiKey, issueApiKey, renameApiKey, rollApiKey } from '../domain/keys/api-keys.ts';
import { formatTime, parseTime } from '../lib/times.ts';
import { type ApiKey, ROLLED_HOURS_DEFAULT, ROLLED_HOURS_MAX } from '../model/api-keys.ts';
import { listApiKeys } from '../storage/api-keys.ts';
import type { Database } from '../storage/database.ts';
import { ACCOUNT_ID, addCommand, formatTable, type OutputOptions, print, withDatabase } from './command.ts';

interface CreateOptions extends OutputOptions {
  account: string;
  name: string;
  readOnly?: true;
  expiresAt?: number;
}

interface RollOptions extends OutputOptions {
  expiresInHours: number;
}

const KEY_ID = 'key ID, as "keys list" shows it';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('manage the API keys of an account');

  addCommand(keys, 'create', 'create and print a key; it will not be shown again')
    .requiredOption('--account <id>', ACCOUNT_ID)
    .requiredOption('--name <name>', 'what the key is for, such as "Website"')
    .option('--read-only', 'create a key that cannot change anything')
    .option('--expires-at <time>', 'expiry time, such as 2027-01-31T12:00:00Z', parseExpiry)
    .action((options: CreateOptions) => withDatabase((database) => createKey(database, options)));

  addCommand(keys, 'list', "show an account's keys: their names, access, and last use, but not the secrets")
    .requiredOption('--account <id>', ACCOUNT_ID)
    .action((options: OutputOptions & { account: string }) =>
      withDatabase(async (database) => {
        await getAccount(database, options.account);
        const shown = (await listApiKeys(database, options.account)).map(showKey);
        const lines = shown.length > 0 ? keyTable(shown) : ['The account has no keys yet. "keys create" creates one.'];
        print(shown, options, lines);
      }),
    );

  addCommand(keys, 'rename', 'rename a key')
    .argument('<key-id>', KEY_ID)
    .requiredOption('--name <name>', 'the new name')
    .action((id: string, options: OutputOptions & { name: string }) =>
      withDatabase(async (database) => {
        const key = await renameApiKey(database, id, options.name);
        print(showKey(key), options, [`The key ${id} is now called "${key.name}".`]);
      }),
    );

  const hours = `hours until the old key expires, from 0 (immediately) to ${ROLLED_HOURS_MAX}`;
  addCommand(keys, 'roll', 'create and print a new key with the same name and access; the old one expires')
    .argument('<key-id>', KEY_ID)
    .option('--expires-in-hours <hours>', hours, parseHours, ROLLED_HOURS_DEFAULT)
    .action((id: string, options: RollOptions) => withDatabase((database) => rollKey(database, id, options)));

  addCommand(keys, 'delete', 'delete a key; the next request with it is rejected')
    .argument('<key-id>', KEY_ID)
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (database) => {
        await deleteApiKey(database, id);
        print({ id, deleted: true }, options, [`The key ${id} is deleted.`]);
      }),
    );
}

async function createKey(database: Database, options: CreateOptions): Promise<void> {
  const { key, secret } = await issueApiKey(database, {
    accountId: options.account,
    name: options.name,
    access: options.readOnly ? 'read' : 'full',
    expiresAt: options.expiresAt ?? null,
    createdBy: null,
  });
  print({ ...showKey(key), key: secret }, options, [
    secret,
    '',
    `This is the key "${key.name}" (${key.id}). Store it now: it will not be shown again.`,
  ]);
}

async function rollKey(database: Database, id: string, options: RollOptions): Promise<void> {
  const { expiresInHours } = options;
  const { key, secret } = await rollApiKey(database, id, expiresInHours);
  const end = expiresInHours === 0 ? 'is deleted' : `expires in ${expiresInHours} h or earlier; "keys list" says when`;
  print({ ...showKey(key), key: secret }, options, [
    secret,
    '',
    `This is the new key "${key.name}" (${key.id}). Store it now: it will not be shown again.`,
    `The old key ${id} ${end}.`,
  ]);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (/^\d{1,3}$/.test(text) && hours <= ROLLED_HOURS_MAX) return hours;
  throw new InvalidArgumentError(`Give a whole number from 0 to ${ROLLED_HOURS_MAX}.`);
}

function showKey(key: ApiKey) {
  return {
    ...key,
    createdAt: formatTime(key.createdAt),
    expiresAt: formatTime(key.expiresAt),
    lastUsedAt: formatTime(key.lastUsedAt),
  };
}

function keyTable(keys: ReturnType<typeof showKey>[]): string[] {
  const expiry = (time: string | null) => (time !== null && Date.parse(time) <= Date.now() ? `expired ${time}` : time);
  const rows = keys.map(({ id, start, access, lastUsedAt, expiresAt, name }) => [
    id,
    `${start}…`,
    access,
    lastUsedAt ?? 'never',
    expiry(expiresAt) ?? 'never',
    name,
  ]);
  return formatTable(['ID', 'KEY', 'ACCESS', 'LAST USED', 'EXPIRES', 'NAME'], rows);
}

/** @returns UTC milliseconds */
function parseExpiry(text: string): number {
  const time = parseTime(text);
  if (time === undefined) throw new InvalidArgumentError('It must be a time, such as 2027-01-31T12:00:00Z.');
  return time.timeMs;
}
