import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { changeQuotas, toQuotas } from '../domain/account-limits.ts';
import { changeAccount, createAccount, deleteAccount, getAccount } from '../domain/accounts.ts';
import { type Candidate, createAccountFor, describeUser } from '../domain/administrators.ts';
import { toNfc } from '../lib/nfc.ts';
import { formatTime } from '../lib/times.ts';
import type { Account } from '../model/accounts.ts';
import { AppError } from '../model/errors.ts';
import type { Quotas } from '../model/quotas.ts';
import { type ListedAccount, listAccounts } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import {
  addSuspension,
  describeQuotas,
  parseQuotas,
  type QuotaOptions,
  showQuotas,
  withQuotaOptions,
} from './account-limits.ts';
import { nameOf, personOption } from './administrators.ts';
import { readPassword } from './passwords.ts';
import { formatTable, type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('the tenants: each has its own listings and keys');
  addCreate(accounts);
  addList(accounts);
  addUpdate(accounts);
  addDelete(accounts);
  addSuspension(accounts);
}

function addCreate(accounts: Command): void {
  withQuotaOptions(withJsonOption(accounts.command('create').description('make an account')))
    .requiredOption('--name <name>', 'what it is called')
    .option('--admin-email <address>', 'make somebody its administrator, who signs in with this address')
    .option('--admin-name <name>', 'what they are called; without it, what stands before the @')
    .option('--admin-password-stdin', 'read their password from the standard input instead of asking for it')
    .option('--admin-existing', 'they have a password here already, for another account')
    .addOption(personOption())
    .action(async (options: CreateOptions, command: Command) => {
      const quotas = parseQuotas(options);
      const candidate = await readCandidate(options, command);
      await withDatabase(async (database) => {
        const { account, user } =
          candidate === undefined
            ? { account: await createAccount(database, options.name), user: undefined }
            : await createAccountFor(database, options.name, candidate);
        const { id, name } = account;
        const shown = await setGiven(database, id, quotas);
        print({ id, name, ...(user && { administrator: user }), ...(shown && showQuotas(shown)) }, options, [
          `Account "${name}" has the id ${id}.`,
          ...(user === undefined ? [] : [`${user.name} signs in as ${user.email} and is its administrator.`]),
          ...(shown ? [describeQuotas(shown)] : []),
          ...(user && options.adminExisting ? [`They are ${await describeUser(database, user)}.`] : []),
          `Next: npx property-listings keys create --account ${id} --name "My first key"`,
        ]);
      });
    });
}

interface CreateOptions extends OutputOptions, QuotaOptions {
  name: string;
  adminEmail?: string;
  adminName?: string;
  adminPasswordStdin?: true;
  adminExisting?: true;
  person?: string;
}

/** Sets the quotas that were given, if any. @returns all there are then */
async function setGiven(database: Database, id: string, given: Partial<Quotas>): Promise<Quotas | undefined> {
  return Object.keys(given).length === 0 ? undefined : changeQuotas(database, id, given);
}

/** The administrator that a new account is to have, if any. */
async function readCandidate(options: CreateOptions, command: Command): Promise<Candidate | undefined> {
  const { adminEmail: email, adminName, adminPasswordStdin, adminExisting, person } = options;
  if (email === undefined) {
    if (adminName === undefined && !adminPasswordStdin && !adminExisting && person === undefined) return undefined;
    return command.error('error: an administrator needs an address: give --admin-email');
  }
  if (adminExisting) return { email, personId: person };
  const password = await readPassword(adminPasswordStdin, '--admin-password-stdin', command);
  return { email, name: adminName ?? nameOf(email), password };
}

function addList(accounts: Command): void {
  withJsonOption(accounts.command('list').description('show all accounts')).action((options: OutputOptions) =>
    withDatabase(async (database) => {
      const rows = await listAccounts(database);
      const shown = rows.map(showListed);
      const lines = formatTable(
        ['ID', 'CREATED', 'LISTINGS', 'BYTES', 'RATE LIMIT', 'NAME'],
        shown.map(({ id, createdAt, listings, listingsMax, bytes, bytesMax, rateLimit, name, suspendedFor }) => [
          id,
          `${createdAt}`,
          withQuota(listings, listingsMax),
          withQuota(bytes, bytesMax),
          rateLimit ?? '-',
          suspendedFor === null ? name : `${name} (suspended: ${suspendedFor})`,
        ]),
      );
      print(shown, options, rows.length > 0 ? lines : ['There is no account yet: "accounts create" makes one.']);
    }),
  );
}

function showListed({ createdAt, ratePoints: _points, rateSeconds: _seconds, ...account }: ListedAccount) {
  const quotas = toQuotas({ ...account, ratePoints: _points, rateSeconds: _seconds });
  return { ...account, createdAt: formatTime(createdAt), ...showQuotas(quotas) };
}

function withQuota(used: number, quota: number | null): string {
  return quota === null ? `${used}` : `${used} of ${quota}`;
}

interface AccountOptions extends OutputOptions {
  account?: string;
}

/** The account that a command is told by its argument or by `--account`, as other commands have it. */
function accountId(given: string | undefined, { account }: AccountOptions, command: Command): string {
  const id = given ?? account;
  if (id !== undefined && (account ?? id) === id) return id;
  return command.error('error: name one account: its id, as "accounts list" shows it');
}

interface UpdateOptions extends AccountOptions, QuotaOptions {
  name?: string;
  currency?: string;
  areaUnits?: string;
}

function addUpdate(accounts: Command): void {
  withQuotaOptions(
    withJsonOption(accounts.command('update').description('change what an account is called, its defaults and quotas')),
  )
    .argument('[account-id]', 'its id, as "accounts list" shows it')
    .option('--account <id>', 'the same')
    .option('--name <name>', 'what it is called')
    .option('--currency <code>', 'the currency of prices that come without one (ISO 4217), such as EUR')
    .option('--area-units <units>', 'the units of areas that come without: sqft or sqm')
    .action((given: string | undefined, options: UpdateOptions, command: Command) => {
      const id = accountId(given, options, command);
      const { name, currency, areaUnits } = options;
      const quotas = parseQuotas(options);
      if (name === undefined && currency === undefined && areaUnits === undefined && Object.keys(quotas).length === 0)
        command.error('error: give what to change: --name, --currency, --area-units or a quota');
      return withDatabase(async (database) => {
        const account = await changeAccount(database, id, { name, currency, areaUnits });
        const shown = await setGiven(database, id, quotas);
        print({ ...account, ...(shown && showQuotas(shown)) }, options, [
          `Account "${account.name}": prices without a currency are in ${account.currency}, areas without units in ${account.areaUnits}.`,
          ...(shown ? [describeQuotas(shown)] : []),
        ]);
      });
    });
}

function addDelete(accounts: Command): void {
  withJsonOption(accounts.command('delete').description('delete an account with its keys and all its listings'))
    .argument('[account-id]', 'its id, as "accounts list" shows it')
    .option('--account <id>', 'the same')
    .option('--yes', 'do not ask for its name')
    .action((given: string | undefined, options: AccountOptions & { yes?: true }, command: Command) => {
      const id = accountId(given, options, command);
      return withDatabase(async (database) => {
        const account = await getAccount(database, id);
        if (!options.yes) await confirm(account);
        await deleteAccount(database, id);
        print({ id, deleted: true }, options, [`The account "${account.name}" is deleted.`]);
      });
    });
}

/** Asks on stderr, as stdout is for the answer. */
async function confirm({ name }: Account): Promise<void> {
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
  const question = `This deletes "${name}" with its keys and listings for ever. Type its name to go on: `;
  const typed = await Promise.race([questions.question(question), closed]);
  questions.close();
  if (toNfc(typed).trim() === name) return;
  throw new AppError(
    'validation_failed',
    'That is not its name, and nothing was deleted; --yes deletes without asking.',
  );
}
