import { text } from 'node:stream/consumers';
import type { Me } from '@property-listings/client';
import type { Command } from '../command.ts';
import { createClient, withClient } from '../connection.ts';
import { LOGIN_ADVICE, toCommandError } from '../describe-error.ts';
import { CommandError } from '../exit-codes.ts';
import { type OutputOptions, withOutputOptions, writeRecord } from '../output/record.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { ask, askHidden, isInteractive } from '../questions.ts';
import { readSettings, removeSettings, type Settings, settingsPath, writeSettings } from '../settings.ts';

const LEFT = 'Nothing was stored.';

export function addLogin(program: Command): void {
  program
    .command('login')
    .description("store the service's address and an API key, which is read from a prompt or stdin")
    .option('--base-url <url>', 'address of the service, such as https://listings.example.com/v1')
    .details('\nExample:\n  $ listings login --base-url https://listings.example.com/v1 < key.txt')
    .action(async (options: { baseUrl?: string }, command: Command) => {
      const baseUrl = toBaseUrl(await readBaseUrl(options.baseUrl, command), command);
      const given = await (isInteractive() ? askHidden('API key: ', LEFT) : text(process.stdin));
      // The operator's command "keys create" prints the key on the first line, followed by a description.
      const [apiKey = ''] = given.trim().split(/\s*\n/);
      if (apiKey === '') command.usageError(isInteractive() ? 'Enter a key.' : 'Pass the API key on stdin.');
      const { account, key } = await tryKey({ baseUrl, apiKey });
      await writeSettings({ baseUrl, apiKey });
      note(
        `Logged in to the account "${toLine(account.name)}" with the key "${toLine(key.name)}" (${key.access} access, ` +
          `${describeExpiry(key.expiresAt)}).`,
      );
      note(`Stored in ${settingsPath()}, which only you can read.`);
      warnAboutEnvironment();
      warnAboutHttp(baseUrl);
    });
}

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('remove the stored settings; the key remains valid until it is deleted')
    .action(async () => {
      note((await removeSettings()) ? 'Removed the stored key.' : 'No key is stored.');
    });
}

async function tryKey(settings: Settings): Promise<Me> {
  try {
    return await createClient(settings, LOGIN_ADVICE).me();
  } catch (error) {
    throw toCommandError(error, LOGIN_ADVICE);
  }
}

async function readBaseUrl(given: string | undefined, command: Command): Promise<string> {
  const known = given ?? (process.env.PROPERTY_LISTINGS_BASE_URL || undefined);
  if (known !== undefined) return known;
  if (!isInteractive()) return command.usageError('Set --base-url to the address of the service.');
  // An unreadable settings file is not an error, because it is about to be replaced.
  const stored: Partial<Settings> = await readSettings().catch(() => ({}));
  const { baseUrl: before = 'http://127.0.0.1:3000/v1' } = stored;
  return (await ask(`Address of the service [${before}]: `, LEFT)).trim() || before;
}

/** Checks an address, and adds `/v1` if it has no path. */
function toBaseUrl(given: string, command: Command): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    return command.usageError(`"${given}" is not an address such as https://listings.example.com/v1.`);
  }
  if (url.username !== '' || url.password !== '')
    throw new CommandError('The address must not contain a user or a password.');
  return url.pathname === '/' ? `${url.origin}/v1` : url.href.replace(/\/+$/, '');
}

function warnAboutEnvironment(): void {
  for (const name of ['PROPERTY_LISTINGS_API_KEY', 'PROPERTY_LISTINGS_BASE_URL']) {
    if (process.env[name]) note(`Note: ${name} is set and overrides the stored value.`);
  }
}

function warnAboutHttp(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return;
  note('Note: HTTP sends the key unencrypted. Use an https address.');
}

export function addMe(program: Command): void {
  const command = program.command('me').description('show the account and API key in use');
  withOutputOptions(command).action((options: OutputOptions) =>
    withClient(options, async (client) => {
      const me = await client.me();
      await writeRecord(me, options, {
        account: me.account.name,
        accountId: me.account.id,
        key: me.key.name,
        keyId: me.key.id,
        access: me.key.access,
        expires: describeExpiry(me.key.expiresAt),
      });
    }),
  );
}

function describeExpiry(expiresAt: string | null): string {
  return expiresAt === null ? 'does not expire' : `expires ${expiresAt}`;
}
