import type { Command } from 'commander';
import { parseAllowance } from '../config.ts';
import { resumeAccount, suspendAccount } from '../domain/account-limits.ts';
import { formatAllowance, invalid, OFF, parseBytesMax, parseListingsMax, type Quotas } from '../model/quotas.ts';
import { type OutputOptions, print, withDatabase, withJsonOption } from './with-database.ts';

export interface QuotaOptions {
  listingsMax?: string;
  bytesMax?: string;
  rateLimit?: string;
}

export function withQuotaOptions(command: Command): Command {
  return command
    .option('--listings-max <number>', 'how many listings it may have, or off')
    .option('--bytes-max <size>', 'what its listings and their versions of 30 days may take, such as 500MB, or off')
    .option('--rate-limit <limit>', 'requests of each of its keys, such as 1000/10s; off: as RATE_LIMIT says');
}

/** The quotas that were given. @throws {AppError} `validation_failed` */
export function parseQuotas({ listingsMax, bytesMax, rateLimit }: QuotaOptions): Partial<Quotas> {
  return {
    ...(listingsMax !== undefined && { listingsMax: parseListingsMax(listingsMax) }),
    ...(bytesMax !== undefined && { bytesMax: parseBytesMax(bytesMax) }),
    ...(rateLimit !== undefined && { rateLimit: parseRateLimit(rateLimit) }),
  };
}

function parseRateLimit(text: string): Quotas['rateLimit'] {
  const allowance = text === OFF ? null : parseAllowance(text);
  if (allowance !== undefined) return allowance;
  throw invalid('--rate-limit', 'requests and a time of up to 24h, such as 1000/10s', text);
}

/** As JSON has them: null where there is none. */
export function showQuotas({ listingsMax, bytesMax, rateLimit }: Quotas) {
  return { listingsMax, bytesMax, rateLimit: rateLimit && formatAllowance(rateLimit) };
}

export function describeQuotas(quotas: Quotas): string {
  const { listingsMax, bytesMax, rateLimit } = showQuotas(quotas);
  const parts = [
    listingsMax === null ? 'any number of listings' : `at most ${listingsMax} listings`,
    bytesMax === null ? 'any number of bytes' : `at most ${bytesMax} bytes`,
    rateLimit === null ? 'requests as RATE_LIMIT says' : `${rateLimit} requests of each key`,
  ];
  return `Quotas: ${parts.join(', ')}.`;
}

interface SuspendOptions extends OutputOptions {
  reason: string;
}

export function addSuspension(accounts: Command): void {
  withJsonOption(accounts.command('suspend').description('lock an account out, keys and people; nothing is lost'))
    .argument('<account-id>', 'its id, as "accounts list" shows it')
    .requiredOption('--reason <text>', 'why; its keys and people are told')
    .action((id: string, options: SuspendOptions) =>
      withDatabase(async (database) => {
        await suspendAccount(database, id, options.reason);
        const next = `"accounts resume ${id}" lets it in again.`;
        print({ id, suspendedFor: options.reason }, options, [`The account is suspended. ${next}`]);
      }),
    );

  withJsonOption(accounts.command('resume').description('let a suspended account in again'))
    .argument('<account-id>', 'its id')
    .action((id: string, options: OutputOptions) =>
      withDatabase(async (database) => {
        await resumeAccount(database, id);
        print({ id, suspendedFor: null }, options, ['The account is let in again.']);
      }),
    );
}
