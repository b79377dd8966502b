import type { EventFilter, ListingEvent, Position, PropertyListings } from '@property-listings/client';
import { parseSequence, toGiven } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { withTypeOption } from '../event-types.ts';
import { PAGE_SIZE_MAX } from '../listings.ts';
import { note, write } from '../output/standard-output.ts';
import { toJson } from '../output/terminal.ts';

interface EventsOptions extends CurlOptions, Partial<Position> {
  follow?: true;
  type?: ListingEvent['type'][];
  listing?: string;
  feed?: string;
}

/** How long a long poll waits; the same as in the client's `events.follow`. */
export const WAIT_SECONDS = 25;

export function addEvents(program: Command): void {
  const command = program
    .command('events')
    .description('print changes, one JSON object per line')
    .option('--follow', 'keep printing new changes until Ctrl-C')
    .option(
      '--after <sequence>',
      'start after this sequence, such as that of the last change that was printed',
      parseSequence,
    )
    .option('--epoch <epoch>', 'fail if the database no longer has this epoch')
    .option('--listing <id>', 'only changes to this listing')
    .option('--feed <name>', "only changes to this feed's listings");
  withCurlOption(withTypeOption(command))
    .details(`
Without --after, the output starts with the account's first change or, with
--follow, with the next change. Changes are kept for 30 days. If the first
requested change is older, the command fails.

Examples:
  $ listings events --follow
  $ listings events --type deleted --feed mls
  $ listings events --follow --after 1042 | while read -r event; do …; done`)
    .action((options: EventsOptions) => withClient(options, (client) => writeEvents(client, options)));
}

async function writeEvents(client: PropertyListings, options: EventsOptions): Promise<void> {
  const { type, listing, feed } = options;
  const filter = { type, listingId: listing, feed };
  if (!options.follow) return writePast(client, options, filter);
  let reached = await findStart(client, options);
  // Print a long poll, because the first request of `follow` does not wait and is a less useful example.
  if (options.curl) await client.events.list({ ...reached, ...filter, wait: WAIT_SECONDS });
  if (process.stderr.isTTY) {
    note(`Waiting for changes after sequence ${reached.after}. Press Ctrl-C to stop.`);
    const filters = { type: type?.map((name) => name.replace('listing.', '')), listing, feed };
    process.once('exit', () => note(`\nTo resume: listings events --follow${toFlags({ ...reached, ...filters })}`));
  }
  for await (const event of client.events.follow({ ...reached, ...filter })) {
    await write(`${toJson(event)}\n`);
    reached = { after: event.sequence, epoch: event.epoch };
  }
}

/** ` --after 1042 --feed mls`, without the values that are undefined */
export function toFlags(values: object): string {
  const given = Object.entries(toGiven(values));
  return given.map(([name, value]) => ` --${name} ${value}`).join('');
}

async function writePast(client: PropertyListings, start: Partial<Position>, filter: EventFilter): Promise<void> {
  let { after = 0, epoch } = start;
  for (;;) {
    const page = await client.events.list({ after, limit: PAGE_SIZE_MAX, epoch, ...filter });
    if (page.nextAfter === after) return;
    for (const event of page.data) await write(`${toJson(event)}\n`);
    after = page.nextAfter;
    // With the epoch, the service can detect that the database was restored between two pages, which changes
    // the meaning of sequences.
    epoch = page.epoch;
  }
}

/** The position given by `--after` and `--epoch`; by default, the newest one. */
export async function findStart(client: PropertyListings, { after, epoch }: Partial<Position>): Promise<Position> {
  if (after !== undefined) return { after, epoch };
  const newest = await client.listings.list({ limit: 1, fields: ['id'] });
  return { after: newest.sequence, epoch: epoch ?? newest.epoch };
}
