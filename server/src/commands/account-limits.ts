import type { Command } from 'commander';
import { parseAllowance, parseBytes } from '../config.ts';
import { resumeAccount, suspendAccount } from '../domain/accounts/account-limits.ts';
import { AppError } from '../model/errors.ts';
import { formatAllowance, OFF, type Quotas } from '../model/quotas.ts';
import { ACCOUNT_ID, addCommand, type OutputOptions, print, withDatabase } from './command.ts';

export interface QuotaOptions {
  listingsMax?: string;
  bytesMax?: string;
  rateLimit?: string;
}

export function withQuotaOptions(command: Command): Command {
  return command
    .option('--listings-max <number>', 'maximum number of listings, or off')
    .option('--bytes-max <size>', 'maximum size of listings and 30 days of their versions, such as 500MB, or off')
    .option('--rate-limit <limit>', 'requests per key, such as 1000/10s, or off to use RATE_LIMIT');
}

/** Parses the quota options that were given. @throws {AppError} `validation_failed` */
export function parseQuotas({ listingsMax, bytesMax, rateLimit }: QuotaOptions): Partial<Quotas> {
  const [count, size] = ['a number such as 50000', 'a number with B, KB, MB, GB, or TB, such as 500MB'];
  const rate = 'a number of requests and a period of up to 24h, such as 1000/10s';
  return {
    ...(listingsMax !== undefined && { listingsMax: parseQuota('--listings-max', count, parseCount, listingsMax) }),
    ...(bytesMax !== undefined && { bytesMax: parseQuota('--bytes-max', size, parseBytes, bytesMax) }),
    ...(rateLimit !== undefined && { rateLimit: parseQuota('--rate-limit', rate, parseAllowance, rateLimit) }),
  };
}

function parseQuota<T>(option: string, form: string, parse: (text: string) => T | undefined, text: string): T | null {
  const quota = text === OFF ? null : parse(text);
  if (quota !== undefined) return quota;
  throw new AppError('validation_failed', `${option} must be ${form}, or ${OFF}, not "${text}".`);
}

function parseCount(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
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
        await suspendAccount(database, id, options.reason);
        const line = `The account is suspended. "accounts resume ${id}" unlocks it.`;
        print({ id, suspendedFor: options.reason }, options, [line]);
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
