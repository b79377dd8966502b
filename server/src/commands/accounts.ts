import { type Command, InvalidArgumentError, Option } from 'commander';
import { changeQuotas, toQuotas } from '../domain/accounts/account-limits.ts';
import { changeAccount, createAccount, deleteAccount, getAccount } from '../domain/accounts/accounts.ts';
import { type Candidate, createAccountFor, describeUser } from '../domain/accounts/administrators.ts';
import { toNfc } from '../lib/nfc.ts';
import { formatTime } from '../lib/times.ts';
import type { Account } from '../model/accounts.ts';
import { CURRENCIES } from '../model/codes.ts';
import { AppError } from '../model/errors.ts';
import type { Quotas } from '../model/quotas.ts';
import { type ListedAccount, listAccounts } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import {
  addSuspension,
  describeQuotas,
  givenQuotas,
  type QuotaOptions,
  showQuotas,
  withQuotaOptions,
} from './account-limits.ts';
import { existingOptions, nameOf } from './administrators.ts';
import { ask, readPassword } from './ask.ts';
import { ACCOUNT_ID, addCommand, CREATES, formatTable, type OutputOptions, print, withDatabase } from './command.ts';
import { addAccountExport } from './export.ts';

export function addAccounts(program: Command): void {
  const accounts = program.command('accounts').description('manage accounts; each has its own listings and keys');
  addCreate(accounts);
  addList(accounts);
  addUpdate(accounts);
  addDelete(accounts);
  addSuspension(accounts);
  addAccountExport(accounts);
}

interface CreateOptions extends OutputOptions, QuotaOptions {
  name: string;
  adminEmail?: string;
  adminName?: string;
  adminPasswordStdin?: true;
  adminExisting?: true;
  person?: string;
}

function addCreate(accounts: Command): void {
  const [existing, person] = existingOptions(
    new Option(
      '--admin-existing',
      'the administrator already belongs to another account, and keeps the name and password',
    ).conflicts(['adminName', 'adminPasswordStdin']),
  );
  withQuotaOptions(addCommand(accounts, 'create', 'create an account'))
    .requiredOption('--name <name>', 'account name')
    .option('--admin-email <address>', 'also add an administrator, who signs in with this address')
    .option('--admin-name <name>', "the administrator's name; by default, the address up to the @")
    .option('--admin-password-stdin', 'read the password from standard input instead of asking for it')
    .addOption(existing)
    .addOption(person)
    .action(async (options: CreateOptions, command: Command) => {
      const given = givenQuotas(options);
      const candidate = await readCandidate(options, command);
      await withDatabase(async (database) => {
        const { account, user } =
          candidate === undefined
            ? { account: await createAccount(database, options.name), user: undefined }
            : await createAccountFor(database, options.name, candidate);
        const { id, name } = account;
        const quotas = await setQuotas(database, id, given);
        print({ id, name, ...(user && { administrator: user }), ...(quotas && showQuotas(quotas)) }, options, [
          `Account "${name}" has the id ${id}.`,
          ...(user ? [`${user.name} signs in as ${user.email} and is its administrator.`] : []),
          ...(quotas ? [describeQuotas(quotas)] : []),
          ...(user && options.adminExisting ? [`They are ${await describeUser(database, user)}.`] : []),
          `Next: npx property-listings keys create --account ${id} --name "My first key"`,
        ]);
      }, CREATES);
    });
}

/** Reads the administrator of a new account, if one is given. */
async function readCandidate(options: CreateOptions, command: Command): Promise<Candidate | undefined> {
  const { adminEmail: email, adminName, adminPasswordStdin, adminExisting, person } = options;
  if (email === undefined) {
    if (adminName === undefined && !adminPasswordStdin && !adminExisting && person === undefined) return undefined;
    return command.error('error: an administrator requires an email address; add --admin-email');
  }
  if (adminExisting) return { email, personId: person };
  const password = await readPassword(adminPasswordStdin, '--admin-password-stdin', command);
  return { email, name: adminName ?? nameOf(email), password };
}

/** @returns all quotas of the account after the change; undefined if no quota is given */
async function setQuotas(database: Database, id: string, given: Partial<Quotas>): Promise<Quotas | undefined> {
  return Object.keys(given).length === 0 ? undefined : changeQuotas(database, id, given);
}

function addList(accounts: Command): void {
  addCommand(accounts, 'list', 'show all accounts')
    .option('--search <text>', 'only the accounts whose name contains this string, or that have this ID')
    .action((options: OutputOptions & { search?: string }) => list(options));
}

function list(options: OutputOptions & { search?: string }): Promise<void> {
  const wanted = fold(options.search ?? '');
  return withDatabase(async (database) => {
    const all = await listAccounts(database);
    const shown = all.filter(({ id, name }) => fold(name).includes(wanted) || id === wanted).map(showListed);
    const lines = formatTable(
      ['ID', 'CREATED', 'LISTINGS', 'BYTES', 'RATE LIMIT', 'NAME'],
      shown.map(({ id, createdAt, listings, listingsMax, bytes, bytesMax, rateLimit, name, suspendedFor }) => [
        id,
        createdAt,
        withQuota(listings, listingsMax),
        withQuota(bytes, bytesMax),
        rateLimit ?? '-',
        suspendedFor === null ? name : `${name} (suspended: ${suspendedFor})`,
      ]),
    );
    const none = all.length > 0 ? 'No account matches.' : 'There are no accounts yet. "accounts create" creates one.';
    print(shown, options, shown.length > 0 ? lines : [none]);
  });
}

function fold(text: string): string {
  return toNfc(text).trim().toLowerCase();
}

function showListed({ createdAt, ratePoints, rateSeconds, ...account }: ListedAccount) {
  const quotas = toQuotas({ ...account, ratePoints, rateSeconds });
  return { ...account, createdAt: formatTime(createdAt), ...showQuotas(quotas) };
}

function withQuota(used: number, quota: number | null): string {
  return quota === null ? `${used}` : `${used} of ${quota}`;
}

interface AccountOptions extends OutputOptions {
  account?: string;
}

/** Adds a command for one account. The account's ID is an argument or, as in other commands, an option. */
function addAccountCommand(accounts: Command, name: string, description: string): Command {
  return addCommand(accounts, name, description)
    .argument('[account-id]', ACCOUNT_ID)
    .option('--account <id>', 'the same as [account-id]');
}

function accountId(given: string | undefined, { account }: AccountOptions, command: Command): string {
  const id = given ?? account;
  if (id !== undefined && (account ?? id) === id) return id;
  return command.error('error: give one account id, as "accounts list" shows it');
}

interface UpdateOptions extends AccountOptions, QuotaOptions {
  name?: string;
  currency?: string;
  areaUnits?: string;
}

function addUpdate(accounts: Command): void {
  withQuotaOptions(addAccountCommand(accounts, 'update', 'change the name, defaults, and quotas of an account'))
    .option('--name <name>', 'account name')
    .option('--currency <code>', 'default currency of prices (ISO 4217), such as EUR', parseCurrency)
    .addOption(new Option('--area-units <units>', 'default units of areas').choices(['sqft', 'sqm']))
    .action((argument: string | undefined, options: UpdateOptions, command: Command) => {
      const id = accountId(argument, options, command);
      const { name, currency, areaUnits } = options;
      const given = givenQuotas(options);
      if (name === undefined && currency === undefined && areaUnits === undefined && Object.keys(given).length === 0)
        command.error('error: give at least one of --name, --currency, --area-units, or a quota');
      return withDatabase(async (database) => {
        const account = await changeAccount(database, id, { name, currency, areaUnits });
        const quotas = await setQuotas(database, id, given);
        print({ ...account, ...(quotas && showQuotas(quotas)) }, options, [
          `Account "${account.name}": prices without a currency are in ${account.currency}, areas without units in ${account.areaUnits}.`,
          ...(quotas ? [describeQuotas(quotas)] : []),
        ]);
      });
    });
}

function parseCurrency(text: string): string {
  if (CURRENCIES.has(text)) return text;
  throw new InvalidArgumentError('It must be an ISO 4217 code in uppercase letters, such as EUR.');
}

function addDelete(accounts: Command): void {
  addAccountCommand(accounts, 'delete', 'delete an account with all its data, and its users who have no other account')
    .option('--yes', 'do not ask for confirmation')
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

async function confirm({ name }: Account): Promise<void> {
  const typed = await ask(
    `This permanently deletes "${name}", all its data, and users without another account. Type its name to continue: `,
  );
  if (toNfc(typed).trim() === name) return;
  throw new AppError(
    'validation_failed',
    'The name does not match; nothing was deleted. --yes deletes without asking.',
  );
}
