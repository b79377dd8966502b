import { type Command, InvalidArgumentError } from 'commander';
import { getAccount } from '../domain/accounts.ts';
import { deleteApiKey, issueApiKey } from '../domain/api-keys.ts';
import { formatTime, parseTime } from '../lib/times.ts';
import type { ApiKey } from '../model/api-keys.ts';
import { listApiKeys } from '../storage/api-keys.ts';
import { formatTable, type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

interface CreateOptions extends OutputOptions {
  account: string;
  name: string;
  readOnly?: true;
  expiresAt?: number;
}

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('the API keys of an account');

  withJsonOption(keys.command('create').description('make a key and print it, this once'))
    .requiredOption('--account <id>', 'the account it belongs to')
    .requiredOption('--name <name>', 'what it is for, such as "Website"')
    .option('--read-only', 'let it list and retrieve, but change nothing')
    .option('--expires-at <time>', 'let it end at a time such as 2027-01-31T12:00:00Z', parseExpiry)
    .action((options: CreateOptions) => withDatabase((database) => createKey(database, options)));

  withJsonOption(keys.command('list').description('show the keys of an account; a key itself is never shown again'))
    .requiredOption('--account <id>', 'the account')
    .action((options: OutputOptions & { account: string }) =>
      withDatabase(async (database) => {
        await getAccount(database, options.account);
        const shown = (await listApiKeys(database, options.account)).map(showKey);
        print(
          shown,
          options,
          shown.length > 0 ? keyTable(shown) : ['The account has no key yet: "keys create" makes one.'],
        );
      }),
    );

  withJsonOption(keys.command('delete').description('delete a key; the next request that carries it is refused'))
    .argument('<key-id>', 'its id, as "keys list" shows it')
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (database) => {
        await deleteApiKey(database, id);
        print({ id, deleted: true }, options, [`The key ${id} is deleted.`]);
      }),
    );
}

async function createKey(database: Parameters<typeof issueApiKey>[0], options: CreateOptions): Promise<void> {
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
    `This is the key "${key.name}" (${key.id}). Store it now: it is not shown again.`,
  ]);
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
  const now = new Date().toISOString();
  const expiry = (time: string) => (time <= now ? `expired ${time}` : time);
  const rows = keys.map(({ id, start, access, lastUsedAt, expiresAt, name }) => [
    id,
    `${start}…`,
    access,
    lastUsedAt ?? 'never',
    expiresAt === null ? 'never' : expiry(expiresAt),
    name,
  ]);
  return formatTable(['ID', 'KEY', 'ACCESS', 'LAST USED', 'EXPIRES', 'NAME'], rows);
}

/** UTC milliseconds. */
function parseExpiry(text: string): number {
  const time = parseTime(text);
  if (time === undefined) throw new InvalidArgumentError('It must be like 2027-01-31T12:00:00Z.');
  return time.timeMs;
}
