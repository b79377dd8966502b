import type { Position, PropertyListings } from '@property-listings/client';
import { type Command, InvalidArgumentError } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { note, write } from '../output/standard-output.ts';
import { toJson } from '../output/terminal.ts';

interface EventsOptions extends CurlOptions {
  follow?: true;
  after?: number;
  epoch?: string;
}

/** The largest page that the service gives. */
const PAGE_SIZE = 1_000;
/** As long as the client's `follow` lets the service hold a request. */
const WAIT_SECONDS = 25;

export function addEvents(program: Command): void {
  const command = program
    .command('events')
    .description('print what has changed, a JSON line for each change')
    .option('--follow', 'go on with what changes from now on, until Ctrl-C')
    .option('--after <sequence>', 'what came after this one; the last line that was printed has it', parseSequence)
    .option('--epoch <epoch>', 'only if the database is still that one');
  withCurlOption(command)
    .addHelpText(
      'after',
      `
Without --after it begins with the first change that is kept (30 days); with --follow alone, with the next one.

Examples:
  $ listings events --follow
  $ listings events --follow --after 1042 | while read -r event; do …; done`,
    )
    .action((options: EventsOptions) => withClient(options, (client) => writeEvents(client, options)));
}

async function writeEvents(client: PropertyListings, options: EventsOptions): Promise<void> {
  if (!options.follow) return writeKept(client, options);
  const start = options.after === undefined ? await readPosition(client) : { after: options.after };
  let reached: Position = { ...start, ...(options.epoch !== undefined && { epoch: options.epoch }) };
  // Otherwise it waits only once there is nothing more to tell.
  if (options.curl) await client.events.list({ ...reached, wait: WAIT_SECONDS });
  if (process.stderr.isTTY) {
    note(`Waiting for changes after ${reached.after}; Ctrl-C ends it.`);
    process.once('exit', () => note(`\nTo go on: listings events --follow${toFlags(reached)}`));
  }
  for await (const event of client.events.follow(reached)) {
    await write(`${toJson(event)}\n`);
    reached = { after: event.sequence, epoch: event.epoch };
  }
}

/** After a restore the same sequence means something else: the epoch belongs to it. */
function toFlags({ after, epoch }: Position): string {
  return ` --after ${after}${epoch === undefined ? '' : ` --epoch ${epoch}`}`;
}

async function writeKept(client: PropertyListings, options: EventsOptions): Promise<void> {
  let { after = 0, epoch } = options;
  for (;;) {
    const page = await client.events.list({ after, limit: PAGE_SIZE, epoch });
    if (page.data.length === 0) return;
    for (const event of page.data) await write(`${toJson(event)}\n`);
    after = page.nextAfter;
    // After a restore the same sequence means something else.
    epoch = page.epoch;
  }
}

async function readPosition(client: PropertyListings): Promise<{ after: number; epoch: string }> {
  const { sequence, epoch } = await client.listings.list({ limit: 1, fields: ['id'] });
  return { after: sequence, epoch };
}

function parseSequence(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}
