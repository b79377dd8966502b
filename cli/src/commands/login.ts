import { text } from 'node:stream/consumers';
import type { Me } from '@property-listings/client';
import type { Command } from 'commander';
import { LOGIN_ADVICE } from '../advice.ts';
import { createClient } from '../connection.ts';
import { describeError } from '../describe-error.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { ask, askHidden, isInteractive } from '../questions.ts';
import { readSettings, type Settings, settingsPath, writeSettings } from '../settings.ts';
import { describeExpiry } from './me.ts';

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('store the address of the service and an API key, which is read from stdin or asked for')
    .option('--base-url <url>', 'the address, such as https://listings.example.com/v1')
    .addHelpText('after', '\nExample:\n  $ listings login --base-url https://listings.example.com/v1 < key.txt')
    .action(async (options: { baseUrl?: string }, command: Command) => {
      const baseUrl = toBaseUrl(await readBaseUrl(options.baseUrl, command), command);
      const apiKey = (await (isInteractive() ? askHidden('API key: ', LEFT) : text(process.stdin))).trim();
      if (apiKey === '')
        usageError(command, isInteractive() ? 'There is no key.' : 'There is no key: give it on stdin.');
      const { account, key } = await tryKey({ baseUrl, apiKey });
      await writeSettings({ baseUrl, apiKey });
      note(
        `You work with the account "${toLine(account.name)}" by the key "${toLine(key.name)}" (${key.access} access, ` +
          `${describeExpiry(key.expiresAt)}).`,
      );
      note(`Stored in ${settingsPath()}, which only you may read.`);
      warnAboutEnvironment();
      warnAboutPlainText(baseUrl);
    });
}

/** Where no answer comes. */
const LEFT = 'Nothing was stored.';

async function tryKey(settings: Settings): Promise<Me> {
  try {
    return await createClient(settings, LOGIN_ADVICE).me();
  } catch (error) {
    const { lines, exitCode } = describeError(error, LOGIN_ADVICE);
    throw new CommandError(lines.join('\n'), exitCode);
  }
}

async function readBaseUrl(given: string | undefined, command: Command): Promise<string> {
  const known = given ?? (process.env.PROPERTY_LISTINGS_BASE_URL || undefined);
  if (known !== undefined) return known;
  if (!isInteractive()) return usageError(command, 'Give the address of the service with --base-url.');
  // What is broken is written anew.
  const stored: Partial<Settings> = await readSettings().catch(() => ({}));
  const { baseUrl: before = 'http://127.0.0.1:3000/v1' } = stored;
  return (await ask(`Address of the service [${before}]: `, LEFT)).trim() || before;
}

/** An address without a path gets the version that every address has. */
function toBaseUrl(given: string, command: Command): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    return usageError(command, `"${given}" is no address such as https://listings.example.com/v1.`);
  }
  if (url.username !== '' || url.password !== '') throw new CommandError('The address must not contain a password.');
  return url.pathname === '/' ? `${url.origin}/v1` : url.href.replace(/\/+$/, '');
}

function warnAboutEnvironment(): void {
  for (const name of ['PROPERTY_LISTINGS_API_KEY', 'PROPERTY_LISTINGS_BASE_URL']) {
    if (process.env[name]) note(`Note: ${name} is set and wins over what was stored.`);
  }
}

function warnAboutPlainText(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return;
  note('Note: over http everybody on the way can read the key. Use an https address.');
}
