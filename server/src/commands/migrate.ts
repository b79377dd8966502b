import type { Command } from 'commander';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';
import { SCHEMA_VERSION } from '../storage/migrations.ts';
import { type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

interface MigrateOptions extends OutputOptions {
  distribute?: true;
}

export function addMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description('make the database, or bring its tables up to date')
    .option('--distribute', 'spread the tables over the machines of a Citus cluster; stop the service before');
  withJsonOption(command).action((options: MigrateOptions) =>
    // Opening is enough: every command finds the tables up to date.
    withDatabase(async (database) => {
      const lines = [`The tables are of version ${SCHEMA_VERSION}.`];
      if (options.distribute) {
        await distribute(database);
        lines.push('They are distributed by account.');
      }
      print({ version: SCHEMA_VERSION }, options, lines);
    }),
  );
}

async function distribute(database: Database): Promise<void> {
  if (database.distribute !== undefined) return database.distribute();
  throw new AppError('conflict', 'An SQLite file cannot be distributed; "copy" takes it to a PostgreSQL server.');
}
