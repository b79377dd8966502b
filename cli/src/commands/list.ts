import type { PropertyListings } from '@property-listings/client';
import type { Command } from 'commander';
import { type CurlOptions, type Service, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { addFilters, toQuery } from '../filters.ts';
import { readListings } from '../listings.ts';
import { parseCount } from '../numbers.ts';
import { toJsonArray } from '../output/json-array.ts';
import { toTabbedLines, toTable } from '../output/listing-table.ts';
import { page } from '../output/pager.ts';
import { gather, note, writeAll } from '../output/standard-output.ts';
import { paint } from '../output/terminal.ts';
import { readCsv } from '../raw-lists.ts';

interface ListOptions extends CurlOptions {
  json?: true;
  csv?: true;
  limit?: number;
  fields?: string;
}

const COLUMNS = 'id,address,city,beds,baths,listPrice,currency,status';

export function addList(program: Command): void {
  const command = program
    .command('list')
    .description('show listings: all of them, or those that the filters leave')
    .option('--json', 'print one JSON array of all listings')
    .option('--csv', 'print CSV with a header row')
    .option('--limit <count>', 'at most so many', parseCount);
  withCurlOption(addFilters(command))
    .addHelpText(
      'after',
      `
In a terminal this is a table; piped, lines with tabs between the same columns and no heading.

Examples:
  $ listings list --status active --city Austin --sort=-listPrice --limit 10
  $ listings list --near 30.27,-97.74 --radius 5km --fields id,address,listPrice
  $ listings list --json | jq -r '.[].address'`,
    )
    .action((options: ListOptions, command: Command) => {
      if (options.json && options.csv) usageError(command, 'Choose one: --json or --csv.');
      return withClient(options, (client, service) => writeList(client, service, options));
    });
}

async function writeList(client: PropertyListings, service: Service, options: ListOptions): Promise<void> {
  const { json, csv, limit, fields = COLUMNS } = options;
  const query = toQuery({ ...options });
  if (csv) return writeAll(readCsv(service, query, limit));
  if (json) return writeAll(gather(toJsonArray(readListings(client, query, limit))));
  const names = fields.split(',');
  const listings = readListings(client, { ...query, ...Object({ fields }) }, limit);
  if (!process.stdout.isTTY) return writeAll(gather(toTabbedLines(listings, names)));
  let count = 0;
  const isWhole = await page(
    gather(
      toTable(
        counted(listings, () => (count += 1)),
        names,
      ),
    ),
  );
  if (isWhole) note(paint(process.stderr, 'dim', count === 1 ? '1 listing' : `${count || 'No'} listings`));
}

async function* counted<T>(values: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const value of values) {
    count();
    yield value;
  }
}
