import type { Command } from 'commander';
import { SCHEMA_VERSION } from '../storage/migrations.ts';
import { type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

export function addMigrate(program: Command): void {
  withJsonOption(program.command('migrate').description('make the database, or bring its tables up to date')).action(
    (options: OutputOptions) =>
      // Opening is enough: every command finds the tables up to date.
      withDatabase(async () => {
        print({ version: SCHEMA_VERSION }, options, [`The tables are of version ${SCHEMA_VERSION}.`]);
      }),
  );
}
