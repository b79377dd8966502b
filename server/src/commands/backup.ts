import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { backUp, compact, getDatabaseFile, restore } from '../storage/backup.ts';
import { renewEpoch } from '../storage/database-info.ts';
import { type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

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
    print(restored, options, [`${restored.database} is restored; its epoch is ${restored.epoch} now.`, ...kept]);
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
  withJsonOption(epoch).action((options: OutputOptions) =>
    withDatabase(async (database) => {
      const value = { epoch: await renewEpoch(database) };
      print(value, options, [`The epoch is ${value.epoch} now.`]);
    }),
  );
}
