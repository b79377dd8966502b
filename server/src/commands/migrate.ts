import type { Command } from 'commander';
import { AppError } from '../model/errors.ts';
import { SCHEMA_VERSION } from '../storage/migrations.ts';
import { addCommand, CREATES, type OutputOptions, print, withDatabase } from './command.ts';

export function addMigrate(program: Command): void {
  addCommand(program, 'migrate', 'create the database, or bring its tables up to date')
    .option('--distribute', 'distribute the tables over a Citus cluster; stop the service first')
    .action((options: OutputOptions & { distribute?: true }) =>
      // Opening the database brings its tables up to date.
      withDatabase(async (database) => {
        const lines = [`The tables are at schema version ${SCHEMA_VERSION}.`];
        if (options.distribute) {
          if (database.distribute === undefined) throw new AppError('conflict', NOT_DISTRIBUTABLE);
          await database.distribute();
          lines.push('They are distributed by account.');
        }
        print({ version: SCHEMA_VERSION }, options, lines);
      }, CREATES),
    );
}

const NOT_DISTRIBUTABLE = 'An SQLite file cannot be distributed; use "copy" to copy it to a PostgreSQL server first.';
