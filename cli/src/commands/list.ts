import type { PropertyListings } from '@property-listings/client';
import { parseCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, type Service, withClient, withCurlOption } from '../connection.ts';
import { addFilters, toQuery } from '../filters.ts';
import { readListings } from '../listings.ts';
import { writeRows } from '../output/rows.ts';
import { note, writeAll } from '../output/standard-output.ts';
import { paint } from '../output/terminal.ts';
import { readCsv } from '../raw-lists.ts';

type ListOptions = CurlOptions & { json?: true; csv?: true; limit?: number; fields?: string };

const COLUMNS = 'id,address,city,beds,baths,listPrice,currency,status';

export function addList(program: Command): void {
  const command = program
    .command('list')
    .description('show all listings, or those that match the filters')
    .option('--json', 'print one JSON array')
    .option('--csv', 'print CSV with a header row')
    .option('--limit <count>', 'maximum number of listings', parseCount);
  withCurlOption(addFilters(command))
    .details(`
In a terminal, the output is a table. In a pipe, it has the same columns,
separated by tabs, without a header.

Examples:
  $ listings list --status active --city Austin --sort=-listPrice --limit 10
  $ listings list --near 30.27,-97.74 --radius 5km --fields id,address,listPrice
  $ listings list --json | jq -r '.[].address'`)
    .action((options: ListOptions, command: Command) => {
      if (options.json && options.csv) command.usageError('Choose either --json or --csv.');
      return withClient(options, (client, service) => writeList(client, service, options));
    });
}

async function writeList(client: PropertyListings, service: Service, options: ListOptions): Promise<void> {
  const { json, csv, limit, fields = COLUMNS } = options;
  const query = toQuery({ ...options });
  if (csv) return writeAll(readCsv(service, query, limit));
  const shown = json ? query : { ...query, ...Object({ fields }) };
  const count = await writeRows(readListings(client, shown, limit), fields.split(','), options);
  if (count === undefined) return;
  note(paint(process.stderr, 'dim', count === 1 ? '1 listing' : `${count || 'No'} listings`));
}
