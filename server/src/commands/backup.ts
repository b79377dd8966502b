import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { formatTime } from '../lib/times.ts';
import { backUp, compact, getDatabaseFile, restore } from '../storage/backup.ts';
import { renewEpoch } from '../storage/database-info.ts';
import { type Credentials, endCredentials } from '../storage/restored.ts';
import { formatTable, type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

interface RestoreOptions extends OutputOptions {
  force?: true;
}

export function addBackup(program: Command): void {
  const backup = program
    .command('backup <file>')
    .description('write all that the database holds now to a new file, with its digest beside it; the service may run');
  withJsonOption(backup).action(async (file: string, options: OutputOptions) => {
    const { databaseUrl } = readConfig();
    console.error(`database: ${getDatabaseFile(databaseUrl)}`);
    const made = await backUp(databaseUrl, resolve(file));
    print(made, options, [
      `${made.file}: ${made.bytes} bytes, SHA-256 ${made.sha256}`,
      `${made.digestFile}: its digest, without which it is not restored`,
    ]);
  });

  const restoration = program
    .command('restore <file>')
    .description('make a backup the database again; stop the service before')
    .option('--force', 'take the place of the database that is there, which is kept beside it');
  withJsonOption(restoration).action(async (file: string, options: RestoreOptions) => {
    const restored = await restore(readConfig().databaseUrl, resolve(file), {
      force: options.force === true,
    });
    const kept =
      restored.replaced === undefined
        ? []
        : [`The one before is ${restored.replaced}: remove it when it is not needed any more.`];
    const { credentials } = restored;
    print({ ...restored, credentials: showCredentials(credentials) }, options, [
      `${restored.database} is restored; its epoch is ${restored.epoch} now.`,
      ...kept,
      ...describeCredentials(credentials),
    ]);
  });

  const compaction = program
    .command('compact')
    .description('rewrite the SQLite file without what was deleted, which makes it smaller; stop the service before');
  withJsonOption(compaction).action(async (options: OutputOptions) => {
    const compacted = await compact(readConfig().databaseUrl);
    const { database, bytesBefore, bytes } = compacted;
    print(compacted, options, [`${database}: ${bytes} bytes, before ${bytesBefore}.`]);
  });

  const epoch = program
    .command('renew-epoch')
    .description('after a failover or a restore that lost writes: no ETag and no epoch of before is good any more');
  epoch.option('--restored', 'the database was restored: end sessions, invitations and links, and show the keys');
  withJsonOption(epoch).action((options: OutputOptions & { restored?: true }) =>
    withDatabase(async (database) => {
      const credentials = options.restored && (await database.write(endCredentials));
      const value = { epoch: await renewEpoch(database) };
      print({ ...value, ...(credentials && { credentials: showCredentials(credentials) }) }, options, [
        `The epoch is ${value.epoch} now.`,
        ...(credentials ? describeCredentials(credentials) : []),
      ]);
    }),
  );
}

function showCredentials({ keys, ...counts }: Credentials) {
  return { ...counts, keys: keys.map((key) => ({ ...key, createdAt: formatTime(key.createdAt) })) };
}

function describeCredentials(credentials: Credentials): string[] {
  const { sessions, invitations, twoFactors, keys } = showCredentials(credentials);
  const rows = keys.map(({ id, start, createdAt, accountName, name }) => [
    id,
    `${start}…`,
    `${createdAt}`,
    accountName,
    name,
  ]);
  const advice = 'These keys are good again. Delete those that were deleted since the backup ("keys delete KEY-ID"):';
  return [
    `${sessions} sessions and ${invitations} invitations have ended: people sign in again.`,
    'Passwords, roles and two-step sign-in are those of the backup: reset passwords that were changed since it.',
    ...(twoFactors > 0 ? ['Recovery codes that were used since it are good again: have people make new ones.'] : []),
    ...(keys.length > 0 ? [advice, ...formatTable(['ID', 'KEY', 'CREATED', 'ACCOUNT', 'NAME'], rows)] : []),
  ];
}
