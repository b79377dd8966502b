import type { Command } from 'commander';
import { createAccount } from '../domain/accounts.ts';
import { listAccounts } from '../storage/accounts.ts';
import { formatTime, type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('the tenants: each has its own listings and keys');

  withJsonOption(accounts.command('create').description('make an account'))
    .requiredOption('--name <name>', 'what it is called')
    .action((options: OutputOptions & { name: string }) =>
      withDatabase(async (database) => {
        const { id, name } = await createAccount(database, options.name);
        print({ id, name }, options, [
          `Account "${name}" has the id ${id}.`,
          `Next: npx property-listings keys create --account ${id} --name "My first key"`,
        ]);
      }),
    );

  withJsonOption(accounts.command('list').description('show all accounts')).action((options: OutputOptions) =>
    withDatabase(async (database) => {
      const rows = await listAccounts(database);
      const shown = rows.map((row) => ({ ...row, createdAt: formatTime(row.createdAt) }));
      const lines = shown.map(
        ({ id, name, listings, createdAt }) => `${id}  ${createdAt}  ${listings} listings  ${name}`,
      );
      print(shown, options, lines.length > 0 ? lines : ['There is no account yet: "accounts create" makes one.']);
    }),
  );
}
