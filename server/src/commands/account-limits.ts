import { type Command, InvalidArgumentError } from 'commander';
import { parseAllowance, parseBytes } from '../config.ts';
import { resumeAccount, suspendAccount } from '../domain/accounts/account-limits.ts';
import { formatAllowance, OFF, type Quotas } from '../model/quotas.ts';
import { ACCOUNT_ID, addCommand, type OutputOptions, print, withDatabase } from './command.ts';

/** `off` instead of null, which the parser of options replaces. */
export type QuotaOptions = { [Name in keyof Quotas]?: NonNullable<Quotas[Name]> | typeof OFF };

export function withQuotaOptions(command: Command): Command {
  const rate = 'a number of requests and a period of up to 24h, such as 1000/10s';
  return command
    .option(
      '--listings-max <number>',
      'maximum number of listings, or off',
      quotaParser('a number such as 50000', parseCount),
    )
    .option(
      '--bytes-max <size>',
      'maximum size of listings and 30 days of their versions, such as 500MB, or off',
      quotaParser('a number with B, KB, MB, GB, or TB, such as 500MB', parseBytes),
    )
    .option(
      '--rate-limit <limit>',
      'requests per key, such as 1000/10s, or off to use RATE_LIMIT',
      quotaParser(rate, parseAllowance),
    );
}

function quotaParser<T>(form: string, parse: (text: string) => T | undefined): (text: string) => T | typeof OFF {
  return (text) => {
    const quota = text === OFF ? OFF : parse(text);
    if (quota !== undefined) return quota;
    throw new InvalidArgumentError(`It must be ${form}, or ${OFF}.`);
  };
}

function parseCount(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** The quotas that were given. */
export function givenQuotas({ listingsMax, bytesMax, rateLimit }: QuotaOptions): Partial<Quotas> {
  return {
    ...(listingsMax !== undefined && { listingsMax: listingsMax === OFF ? null : listingsMax }),
    ...(bytesMax !== undefined && { bytesMax: bytesMax === OFF ? null : bytesMax }),
    ...(rateLimit !== undefined && { rateLimit: rateLimit === OFF ? null : rateLimit }),
  };
}

/** The quotas for JSON output. null means no quota or, for `rateLimit`, that `RATE_LIMIT` applies. */
export function showQuotas({ listingsMax, bytesMax, rateLimit }: Quotas) {
  return { listingsMax, bytesMax, rateLimit: rateLimit && formatAllowance(rateLimit) };
}

export function describeQuotas(quotas: Quotas): string {
  const { listingsMax, bytesMax, rateLimit } = showQuotas(quotas);
  const parts = [
    listingsMax === null ? 'any number of listings' : `at most ${listingsMax} listings`,
    bytesMax === null ? 'any number of bytes' : `at most ${bytesMax} bytes`,
    rateLimit === null ? 'the rate limit in RATE_LIMIT' : `${rateLimit} requests per key`,
  ];
  return `Quotas: ${parts.join(', ')}.`;
}

export function addSuspension(accounts: Command): void {
  addCommand(accounts, 'suspend', 'lock out the keys and users of an account; no data is lost')
    .argument('<account-id>', ACCOUNT_ID)
    .requiredOption('--reason <text>', 'reason, shown to users of the account and in API errors')
    .action((id: string, options: OutputOptions & { reason: string }) =>
      withDatabase(async (database) => {
        const suspendedFor = await suspendAccount(database, id, options.reason);
        if (!/^[\x20-\x7e]*$/.test(suspendedFor))
          console.error('warning: API errors show the reason in ASCII, without accents, and with ? for other letters');
        const line = `The account is suspended. "accounts resume ${id}" unlocks it.`;
        print({ id, suspendedFor }, options, [line]);
      }),
    );

  addCommand(accounts, 'resume', 'unlock a suspended account')
    .argument('<account-id>', ACCOUNT_ID)
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (database) => {
        await resumeAccount(database, id);
        print({ id, suspendedFor: null }, options, ['The account is no longer suspended.']);
      }),
    );
}
