import { type Command, Option } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { getAccount } from '../domain/accounts.ts';
import { createAdministrator, describeUser } from '../domain/administrators.ts';
import { OPERATOR } from '../domain/audit.ts';
import { mailInvitation } from '../domain/invitation-mail.ts';
import { invite } from '../domain/invitations.ts';
import { resetPassword } from '../domain/password-reset.ts';
import { createMailer } from '../lib/mailer.ts';
import { formatTime } from '../lib/times.ts';
import { ROLES, type Role } from '../model/users.ts';
import { listMembers } from '../storage/memberships.ts';
import { readPassword } from './passwords.ts';
import { formatTable, type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

interface PersonOptions extends OutputOptions {
  account: string;
  email: string;
}

export function addAdministrators(program: Command): void {
  const administrators = program.command('administrators').description('the people who use the dashboard');
  addCreate(administrators);
  addList(administrators);
  addInvite(administrators);
  addResetPassword(administrators);
}

/** A command about one person of an account. */
function personCommand(administrators: Command, name: string, description: string): Command {
  return withJsonOption(administrators.command(name).description(description))
    .requiredOption('--account <id>', 'the account, as "accounts list" shows it')
    .requiredOption('--email <address>', 'the address that they sign in with');
}

function roleOption(): Option {
  const description = 'what they may do: members work with listings only';
  return new Option('--role <role>', description).choices(ROLES).default('administrator');
}

interface CreateOptions extends PersonOptions {
  name?: string;
  role: Role;
  passwordStdin?: true;
  existing?: true;
  person?: string;
}

function addCreate(administrators: Command): void {
  personCommand(administrators, 'create', 'let somebody into an account, with a password that you choose')
    .option('--name <name>', 'what they are called; without it, what stands before the @')
    .addOption(roleOption())
    .option('--password-stdin', 'read the password from the standard input instead of asking for it')
    .option('--existing', 'they have a password here already, for another account')
    .addOption(personOption())
    .action(async (options: CreateOptions, command: Command) => {
      const { account, email, role, existing, person, passwordStdin } = options;
      const candidate = existing
        ? { email, personId: person }
        : {
            email,
            name: options.name ?? nameOf(email),
            password: await readPassword(passwordStdin, '--password-stdin', command),
          };
      await withDatabase(async (database) => {
        const user = await createAdministrator(database, account, candidate, role, OPERATOR);
        print({ ...user, accountId: account, role }, options, [
          `${user.name} signs in as ${user.email} and is ${role === 'member' ? 'a member' : 'an administrator'}.`,
          ...(existing ? [`They are ${await describeUser(database, user)}.`] : []),
        ]);
      });
    });
}

/** Who it is that has a password already. */
export function personOption(): Option {
  return new Option('--person <id>', 'the id of who is meant, where nothing shows that the address is theirs');
}

/** What somebody is called who was given no name. */
export function nameOf(email: string): string {
  return email.trim().split('@', 1).join() || email;
}

function addList(administrators: Command): void {
  withJsonOption(administrators.command('list').description('show who belongs to an account'))
    .requiredOption('--account <id>', 'the account, as "accounts list" shows it')
    .action((options: OutputOptions & { account: string }) =>
      withDatabase(async (database) => {
        await getAccount(database, options.account);
        const members = await listMembers(database, options.account);
        const shown = members.map((member) => ({ ...member, createdAt: formatTime(member.createdAt) }));
        const lines = formatTable(
          ['ID', 'JOINED', 'ROLE', 'E-MAIL', 'NAME'],
          shown.map(({ id, createdAt, role, email, name }) => [id, createdAt, role, email, name]),
        );
        print(shown, options, shown.length > 0 ? lines : ['Nobody: "administrators create" lets somebody in.']);
      }),
    );
}

function addInvite(administrators: Command): void {
  personCommand(administrators, 'invite', 'make a link by which somebody joins an account, and print it, this once')
    .addOption(roleOption())
    .action((options: PersonOptions & { role: Role }) =>
      withDatabase(async (database) => {
        const { account, email, role } = options;
        const config = readConfig();
        const invited = await invite(database, account, { email, role }, 'operator');
        const { invitation, accountName, token, mailedToken } = invited;
        const base = `${dashboardUrl(config)}/invitation#token=`;
        const url = base + token;
        const mailer = config.mail && createMailer(config.mail);
        const isMailed = await mailInvitation(
          mailer,
          { ...invitation, accountName, url: base + mailedToken },
          (error) => console.error('the invitation was not mailed:', error instanceof Error ? error.message : error),
        );
        const expiresAt = formatTime(invitation.expiresAt);
        print({ id: invitation.id, email: invitation.email, role, expiresAt, url, isMailed }, options, [
          url,
          '',
          `${isMailed ? 'It was mailed to' : 'Give this link to'} ${invitation.email}: it works once, until ${expiresAt}, and is not shown again.`,
        ]);
      }),
    );
}

/** Where people reach the dashboard, as far as the settings say it. */
function dashboardUrl({ publicUrl, host, port }: Config): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  return publicUrl ?? `http://${name}:${port}`;
}

interface ResetOptions extends PersonOptions {
  passwordStdin?: true;
  removeTwoFactor?: true;
}

function addResetPassword(administrators: Command): void {
  personCommand(administrators, 'reset-password', 'give somebody another password, and end their sessions')
    .option('--password-stdin', 'read the password from the standard input instead of asking for it')
    .option('--remove-two-factor', 'let them sign in without their second factor, which they may have lost')
    .action(async (options: ResetOptions, command: Command) => {
      const { account, email, removeTwoFactor = false } = options;
      const password = await readPassword(options.passwordStdin, '--password-stdin', command);
      await withDatabase(async (database) => {
        const user = await resetPassword(database, account, { email, password, removeTwoFactor });
        print({ ...user, reset: true }, options, [
          `${user.name} signs in as ${user.email} with the new password; all their sessions have ended.`,
        ]);
      });
    });
}
