import { type Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config.ts';
import { EVENTS_KEPT_DAYS } from '../domain/events/event-purge.ts';
import { findUsage, type UsageDay, type UsageRange } from '../domain/requests/usage.ts';
import { dayOf, isDate } from '../lib/times.ts';
import { AppError } from '../model/errors.ts';
import { listAccounts } from '../storage/accounts.ts';
import { addCommand, formatTable, type OutputOptions, print, withDatabase } from './command.ts';

const COLUMNS = [
  'day',
  'accountId',
  'listings',
  'created',
  'updated',
  'deleted',
  'bytes',
  'requests',
  'account',
] as const;

interface UsageOptions extends OutputOptions {
  from?: number;
  to?: number;
  account?: string;
  csv?: true;
}

export function addUsage(program: Command): void {
  addCommand(program, 'usage', 'show the listings, changes, bytes, and requests of each account on each day (UTC)')
    .option(
      '--from <date>',
      `first day, such as 2026-11-01; at most ${EVENTS_KEPT_DAYS} days ago, which is the default`,
      parseDay,
    )
    .option('--to <date>', 'last day; by default, today', parseDay)
    .option('--account <id>', 'only this account')
    .option('--csv', 'print CSV')
    .action((options: UsageOptions, command: Command) => {
      if (options.csv && options.json) command.error('error: give --csv or --json, not both');
      const range = rangeOf(options);
      return withDatabase(async (database) => {
        const { account } = options;
        const accounts = (await listAccounts(database)).filter(({ id }) => account === undefined || id === account);
        if (account !== undefined && accounts.length === 0)
          throw new AppError('not_found', `There is no account ${account}; run "accounts list" to see all accounts.`);
        const days = await findUsage(database, accounts, range);
        print(days, options, options.csv ? toCsv(days) : toTable(days));
      });
    });
}

function parseDay(text: string): number {
  if (isDate(text)) return dayOf(Date.parse(text));
  throw new InvalidArgumentError('It must be a date, such as 2026-11-01.');
}

/** @throws {AppError} `validation_failed` */
function rangeOf({ from: givenFrom, to: givenTo }: UsageOptions): UsageRange {
  const today = dayOf(Date.now());
  const { from = today - EVENTS_KEPT_DAYS, to = today } = { from: givenFrom, to: givenTo };
  if (from < today - EVENTS_KEPT_DAYS)
    throw new AppError(
      'validation_failed',
      `--from must be at most ${EVENTS_KEPT_DAYS} days ago, because changes are kept for only that long.`,
    );
  if (from > to || to > today)
    throw new AppError('validation_failed', '--to must not be before --from or in the future.');
  const { requestLog } = readConfig();
  return { from, to, requestsFrom: requestLog && today - requestLog.days + 1 };
}

function toTable(days: UsageDay[]): string[] {
  const headings = COLUMNS.map((column) => column.toUpperCase());
  return formatTable(
    headings,
    days.map((day) => COLUMNS.map((column) => `${day[column] ?? '-'}`)),
  );
}

/** CSV as in RFC 4180. Names that begin like a formula are escaped, because a spreadsheet would run them. */
function toCsv(days: UsageDay[]): string[] {
  const quote = (name: string) => `"${name.replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;
  const cells = (day: UsageDay) => COLUMNS.map((column) => (column === 'account' ? quote(day.account) : day[column]));
  return [COLUMNS.join(','), ...days.map((day) => cells(day).join(','))];
}
