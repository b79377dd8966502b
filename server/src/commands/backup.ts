import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { formatTime } from '../lib/times.ts';
import { backUp, compact, getDatabaseFile, type Restored, restore, streamBackup } from '../storage/backup.ts';
import { renewEpoch } from '../storage/database-info.ts';
import { type Credentials, endCredentials } from '../storage/restored.ts';
import { countEnabledWebhooks } from '../storage/webhooks.ts';
import { addCommand, describeWebhooks, formatTable, type OutputOptions, print, withDatabase } from './command.ts';

export function addBackup(program: Command): void {
  addCommand(
    program,
    'backup <file>',
    'back up the SQLite database to a new file with a digest beside it, or with - to standard output; ' +
      'the service can keep running',
  ).action(async (file: string, options: OutputOptions, command: Command) => {
    const { databaseUrl } = readConfig();
    console.error(`database: ${getDatabaseFile(databaseUrl)}`);
    if (file === '-') return await backUpToOutput(databaseUrl, options, command);
    const made = await backUp(databaseUrl, resolve(file));
    if (made.warning !== undefined) console.error(`warning: ${made.warning}`);
    print(made, options, [
      `${made.file}: ${made.bytes} bytes, SHA-256 ${made.sha256}`,
      `${made.digestFile}: its digest, which "restore" needs`,
    ]);
  });

  addCommand(program, 'restore <file>', 'replace the SQLite database with a backup; stop the service first')
    .option('--force', 'replace an existing database, and keep it next to the new one')
    .action(async (file: string, { force, ...options }: OutputOptions & { force?: true }) => {
      const restored = await restore(readConfig().databaseUrl, resolve(file), { force: force === true });
      const { database, epoch, replaced, credentials, rolledKeys, suspensions, webhooks } = restored;
      const shown = {
        ...restored,
        credentials: showCredentials(credentials),
        rolledKeys: rolledKeys?.map(showKey) ?? null,
      };
      print(shown, options, [
        `${database} is restored; its epoch is now ${epoch}.`,
        ...(replaced === undefined
          ? []
          : [`The previous database is ${replaced}; remove it when you no longer need it.`]),
        ...describeCredentials(credentials),
        ...describeKeys(
          'These keys were rolled after the backup: they no longer expire as planned, and the keys that replaced them ' +
            'are lost. Roll them again ("keys roll KEY-ID"):',
          rolledKeys ?? [],
        ),
        ...describeSuspensions(suspensions ?? []),
        ...(suspensions === null ? [UNREADABLE] : []),
        ...describeWebhooks(webhooks),
      ]);
    });

  addCommand(program, 'compact', 'rewrite the SQLite file without deleted data; stop the service first').action(
    async (options: OutputOptions) => {
      const compacted = await compact(readConfig().databaseUrl);
      const { database, bytesBefore, bytes } = compacted;
      print(compacted, options, [`${database}: ${bytes} bytes, previously ${bytesBefore}.`]);
    },
  );

  addCommand(program, 'renew-epoch', 'after a failover or restore that lost writes: make clients list everything again')
    .option('--restored', 'after a restore: also end sessions, invitations, and setup links, and show the keys')
    .action((options: OutputOptions & { restored?: true }) =>
      withDatabase(async (database) => {
        const credentials = options.restored && (await database.write(endCredentials));
        const webhooks = options.restored ? await countEnabledWebhooks(database) : 0;
        const epoch = await renewEpoch(database);
        print({ epoch, ...(credentials && { credentials: showCredentials(credentials), webhooks }) }, options, [
          `The epoch is now ${epoch}.`,
          ...(credentials ? describeCredentials(credentials) : []),
          ...describeWebhooks(webhooks),
        ]);
      }),
    );
}

async function backUpToOutput(databaseUrl: string, { json }: OutputOptions, command: Command): Promise<void> {
  if (json) command.error('error: with -, standard output is the backup; omit --json');
  if (process.stdout.isTTY) command.error('error: with -, redirect standard output to a file or a program');
  const { bytes, sha256, warning } = await streamBackup(databaseUrl, process.stdout);
  if (warning !== undefined) console.error(`warning: ${warning}`);
  console.error(`${bytes} bytes, SHA-256 ${sha256}; "restore" needs the digest, from sha256sum`);
}

function showCredentials({ keys, ...counts }: Credentials) {
  return { ...counts, keys: keys.map(showKey) };
}

function showKey(key: Credentials['keys'][number]) {
  return { ...key, createdAt: formatTime(key.createdAt), expiresAt: formatTime(key.expiresAt) };
}

function describeCredentials({ sessions, invitations, twoFactors, passkeys, keys }: Credentials): string[] {
  return [
    `${sessions} sessions and ${invitations} invitations have ended: users must sign in again.`,
    'Passwords, roles, and two-step sign-in are those of the backup: reset passwords that were changed later.',
    ...(twoFactors > 0 ? ['Recovery codes used after the backup work again: ask users to create new codes.'] : []),
    ...(passkeys > 0 ? ['Passkeys deleted after the backup work again: ask users to delete them again.'] : []),
    ...describeKeys(
      'These keys work again. Delete those that were deleted after the backup ("keys delete KEY-ID"):',
      keys,
    ),
  ];
}

function describeKeys(advice: string, keys: Credentials['keys']): string[] {
  if (keys.length === 0) return [];
  const rows = keys
    .map(showKey)
    .map(({ id, start, createdAt, accountName, name }) => [id, `${start}…`, createdAt, accountName, name]);
  return [advice, ...formatTable(['ID', 'KEY', 'CREATED', 'ACCOUNT', 'NAME'], rows)];
}

const UNREADABLE =
  'The replaced database cannot be read. If keys were rolled or accounts suspended after the backup, do so again.';

function describeSuspensions(suspensions: NonNullable<Restored['suspensions']>): string[] {
  if (suspensions.length === 0) return [];
  const advice =
    'These accounts were suspended after the backup. Suspend them again ("accounts suspend ACCOUNT-ID --reason REASON"):';
  const rows = suspensions.map(({ accountId, accountName, reason }) => [accountId, accountName, reason]);
  return [advice, ...formatTable(['ID', 'ACCOUNT', 'REASON'], rows)];
}
