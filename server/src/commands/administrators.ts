import { type Command, Option } from 'commander';
import { readConfig } from '../config.ts';
import { OPERATOR } from '../domain/access/audit.ts';
import { getAccount } from '../domain/accounts/accounts.ts';
import { createAdministrator, describeUser } from '../domain/accounts/administrators.ts';
import { mailInvitation } from '../domain/accounts/invitation-mail.ts';
import { invite } from '../domain/accounts/invitations.ts';
import { removeMember } from '../domain/accounts/memberships.ts';
import { resetPassword } from '../domain/accounts/password-reset.ts';
import { createMailer } from '../lib/mailer.ts';
import { formatTime } from '../lib/times.ts';
import { AppError } from '../model/errors.ts';
import { normalEmail, ROLES, type Role } from '../model/users.ts';
import { listMembers } from '../storage/memberships.ts';
import { readPassword } from './ask.ts';
import { addressOf } from './checks/network.ts';
import { ACCOUNT_ID, addCommand, formatTable, type OutputOptions, print, withDatabase } from './command.ts';
import { addPersonExport } from './export.ts';

const PASSWORD_STDIN = ['--password-stdin', 'read the password from standard input instead of asking for it'] as const;

interface PersonOptions extends OutputOptions {
  account: string;
  email: string;
}

export function addAdministrators(program: Command): void {
  const administrators = program.command('administrators').description('manage the users of the dashboard');
  addCreate(administrators);
  addList(administrators);
  addInvite(administrators);
  addResetPassword(administrators);
  addRemove(administrators);
  addPersonExport(administrators);
}

function addPersonCommand(administrators: Command, name: string, description: string): Command {
  return addCommand(administrators, name, description)
    .requiredOption('--account <id>', ACCOUNT_ID)
    .requiredOption('--email <address>', 'the address that the user signs in with');
}

function roleOption(): Option {
  return new Option('--role <role>', 'role; members can only manage listings').choices(ROLES).default('administrator');
}

/** The options for a user who already has a password: `existing`, and `--person`. */
export function existingOptions(existing: Option): [existing: Option, person: Option] {
  const person = new Option('--person <id>', 'ID of an existing user who has not confirmed the address');
  return [existing, person.implies({ [existing.attributeName()]: true })];
}

interface CreateOptions extends PersonOptions {
  name?: string;
  role: Role;
  passwordStdin?: true;
  existing?: true;
  person?: string;
}

function addCreate(administrators: Command): void {
  const [existing, person] = existingOptions(
    new Option('--existing', 'the user already belongs to another account, and keeps the name and password').conflicts([
      'name',
      'passwordStdin',
    ]),
  );
  addPersonCommand(administrators, 'create', 'add a user to an account, with a password that you choose')
    .option('--name <name>', "the user's name; by default, the address up to the @")
    .addOption(roleOption())
    .option(...PASSWORD_STDIN)
    .addOption(existing)
    .addOption(person)
    .action(async (options: CreateOptions, command: Command) => {
      const { account, email, name = nameOf(email), role, existing, person, passwordStdin } = options;
      const candidate = existing
        ? { email, personId: person }
        : { email, name, password: await readPassword(passwordStdin, '--password-stdin', command) };
      await withDatabase(async (database) => {
        const user = await createAdministrator(database, account, candidate, role, OPERATOR);
        print({ ...user, accountId: account, role }, options, [
          `${user.name} signs in as ${user.email} and is ${role === 'member' ? 'a member' : 'an administrator'}.`,
          ...(existing ? [`They are ${await describeUser(database, user)}.`] : []),
        ]);
      });
    });
}

export function nameOf(email: string): string {
  return email.trim().split('@', 1).join() || email;
}

function addList(administrators: Command): void {
  addCommand(administrators, 'list', 'show the members of an account')
    .requiredOption('--account <id>', ACCOUNT_ID)
    .action((options: OutputOptions & { account: string }) =>
      withDatabase(async (database) => {
        await getAccount(database, options.account);
        const members = await listMembers(database, options.account);
        const shown = members.map((member) => ({ ...member, createdAt: formatTime(member.createdAt) }));
        const rows = shown.map(({ id, createdAt, role, email, name }) => [id, createdAt, role, email, name]);
        const lines = formatTable(['ID', 'JOINED', 'ROLE', 'EMAIL', 'NAME'], rows);
        print(shown, options, rows.length > 0 ? lines : ['There are no members. "administrators create" adds one.']);
      }),
    );
}

function addInvite(administrators: Command): void {
  addPersonCommand(administrators, 'invite', 'create and print an invitation link; it will not be shown again')
    .addOption(roleOption())
    .action((options: PersonOptions & { role: Role }) =>
      withDatabase(async (database) => {
        const { account, email, role } = options;
        const config = readConfig();
        const invited = await invite(database, account, { email, role }, 'operator');
        const { invitation, accountName, token, mailedToken } = invited;
        const base = `${config.publicUrl ?? addressOf(config)}/invitation#token=`;
        const url = base + token;
        const mail = { ...invitation, accountName, url: base + mailedToken };
        const isMailed = await mailInvitation(config.mail && createMailer(config.mail), mail, (error) =>
          console.error('the invitation could not be mailed:', error instanceof Error ? error.message : error),
        );
        const expiresAt = formatTime(invitation.expiresAt);
        print({ id: invitation.id, email: invitation.email, role, expiresAt, url, isMailed }, options, [
          url,
          '',
          `${isMailed ? 'Another link to this invitation was mailed to' : 'Give this link to'} ${invitation.email}.`,
          `The invitation can be accepted once, until ${expiresAt}. This link will not be shown again.`,
        ]);
      }),
    );
}

function addRemove(administrators: Command): void {
  addPersonCommand(
    administrators,
    'remove',
    'remove a user from an account; if the user has no other account, also delete the user',
  ).action(({ account, email, ...options }: PersonOptions) =>
    withDatabase(async (database) => {
      await getAccount(database, account);
      const members = await listMembers(database, account);
      const member = members.find((each) => each.email === normalEmail(email));
      if (member === undefined) {
        throw new AppError('not_found', `The account has no user ${email}; "administrators list" shows its users.`);
      }
      await removeMember(database, account, member.id, 'operator');
      print({ id: member.id, email: member.email, removed: true }, options, [
        `${member.name} <${member.email}> is removed and can no longer access the account.`,
      ]);
    }),
  );
}

interface ResetOptions extends PersonOptions {
  passwordStdin?: true;
  removeTwoFactor?: true;
}

function addResetPassword(administrators: Command): void {
  addPersonCommand(
    administrators,
    'reset-password',
    'set a new password for a user, end their sessions, and remove their passkeys',
  )
    .option(...PASSWORD_STDIN)
    .option('--remove-two-factor', 'also turn off two-step sign-in, for a user who has lost the second factor')
    .action(async (options: ResetOptions, command: Command) => {
      const { account, email, removeTwoFactor = false } = options;
      const password = await readPassword(options.passwordStdin, '--password-stdin', command);
      await withDatabase(async (database) => {
        const user = await resetPassword(database, account, { email, password, removeTwoFactor });
        print({ ...user, reset: true }, options, [
          `${user.name} signs in as ${user.email} with the new password; all their sessions have ended, and any passkeys have been removed.`,
        ]);
      });
    });
}
