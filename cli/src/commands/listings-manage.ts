import type { HistoryEntry, Listing, NewListing, PropertyListings } from '@property-listings/client';
import { REQUIRED_FIELDS, WRITABLE_FIELDS } from '@property-listings/client/constants';
import { parseCount, parseSequence } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { PAGE_SIZE_MAX, take } from '../listings.ts';
import { describeChanges, type OutputOptions, withOutputOptions, writeChange, writeRecord } from '../output/record.ts';
import { writeRows } from '../output/rows.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { toPatch, unsetOption } from '../patch.ts';
import { confirm, isInteractive } from '../questions.ts';

interface ListingOptions {
  externalId?: string;
}

type Reference = { id: string; externalId?: undefined } | { id?: undefined; externalId: string };

export function addListingsManage(program: Command): void {
  addGet(program);
  addHistory(program);
  addCreate(program);
  addUpdate(program);
  addDelete(program);
}

type GetOptions = OutputOptions & ListingOptions & { at?: number };

function addGet(program: Command): void {
  const command = withListing(program.command('get').description('show a listing')).option(
    '--at <sequence>',
    'the listing as it was at this sequence, from the last 30 days; requires the ID',
    parseSequence,
  );
  withOutputOptions(command).action((id: string | undefined, options: GetOptions, command: Command) => {
    const { at } = options;
    const reference = toReference(id, options, command);
    if (at !== undefined && reference.id === undefined) command.usageError('With --at, specify the listing by its ID.');
    return withClient(options, async (client) => writeRecord(await retrieve(client, reference, at), options));
  });
}

function withListing(command: Command): Command {
  return command
    .argument('[id]', 'ID of the listing (lst_…)')
    .option('--external-id <id>', 'your own ID for the listing, instead of its ID');
}

function toReference(id: string | undefined, { externalId }: ListingOptions, command: Command): Reference {
  if (id !== undefined && externalId === undefined) return { id };
  if (id === undefined && externalId !== undefined) return { externalId };
  return command.usageError('Specify one listing, either by its ID or with --external-id.');
}

/** @param at retrieves the listing as it was at this sequence; requires the listing's ID */
function retrieve({ listings }: PropertyListings, { id, externalId }: Reference, at?: number): Promise<Listing> {
  return id === undefined ? listings.retrieveByExternalId(externalId) : listings.retrieve(id, { at });
}

const HISTORY_COLUMNS = ['sequence', 'version', 'at', 'type', 'actor', 'changes'];

function addHistory(program: Command): void {
  const command = program
    .command('history')
    .description('show who changed a listing, when, and how, newest first')
    .argument('<id>', 'ID of the listing (lst_…), also if it was deleted in the last 30 days')
    .option('--limit <count>', 'maximum number of changes', parseCount);
  withOutputOptions(command)
    .details('\nTo see the whole listing as it was at a sequence: listings get ID --at SEQUENCE')
    .action((id: string, options: OutputOptions & { limit?: number }) =>
      withClient(options, async ({ listings }) => {
        const { limit = Infinity } = options;
        const entries = listings.history(id, { limit: Math.min(limit, PAGE_SIZE_MAX) });
        await writeRows(take(entries, limit), HISTORY_COLUMNS, options, toHistoryRow);
      }),
    );
}

function toHistoryRow({ actor, type, changes, ...entry }: HistoryEntry): object {
  return { ...entry, type: type.replace('listing.', ''), actor: actor.name, changes: describeChanges(changes) };
}

function addCreate(program: Command): void {
  const command = addListingOptions(program.command('create').description('create a listing and print its ID'));
  withOutputOptions(command)
    .option('--replace', 'with --external-id: replace the existing listing, if there is one')
    .details(`
Examples:
  $ listings create --address "12 Elm Street" --beds 3 --baths 2 --city Austin
  $ echo '{"address":"12 Elm Street","beds":3,"baths":2}' | listings create`)
    .action(async (options: OutputOptions & ListingOptions & { replace?: true }, command: Command) => {
      const { replace, externalId } = options;
      if (replace && externalId === undefined) command.usageError('--replace requires --external-id.');
      // The service validates the input.
      const listing: NewListing = Object(await readListingInput({ ...options }, command));
      await withClient(options, async ({ listings }) => {
        const isUpsert = replace && externalId !== undefined;
        const saved = await (isUpsert ? listings.upsert(externalId, listing) : listings.create(listing));
        await writeChange(isUpsert && saved.version > 1 ? 'Replaced' : 'Created', saved, options);
      });
    });
}

type UpdateOptions = OutputOptions & ListingOptions & { unset?: string[]; ifMatch?: number };

const REQUIRED: ReadonlySet<string> = new Set(REQUIRED_FIELDS);
const OPTIONAL_FIELDS = WRITABLE_FIELDS.filter((name) => !REQUIRED.has(name));

function addUpdate(program: Command): void {
  const command = program
    .command('update')
    .description('change fields of a listing; all others stay the same')
    .argument('[id]', 'ID of the listing (lst_…); without it, --external-id selects the listing');
  withOutputOptions(addListingOptions(command))
    .addOption(unsetOption(OPTIONAL_FIELDS, '--unset <field>', 'remove a field'))
    .option('--if-match <version>', 'update only if the listing still has this version', parseCount)
    .details(`
With an ID, --external-id sets the listing's external ID. Without an ID,
--external-id selects the listing.

Examples:
  $ listings update lst_… --status pending --list-price 440000
  $ listings update --external-id MLS-20931 --status closed`)
    .action(async (id: string | undefined, options: UpdateOptions, command: Command) => {
      const { externalId: _selector, ...fields } = options;
      const reference = id === undefined ? toReference(id, options, command) : { id };
      const given = await readListingInput(id === undefined ? fields : { ...options }, command);
      const patch = toPatch(given, options.unset ?? [], '--status pending', command);
      const { ifMatch } = options;
      await withClient(options, async ({ listings }) => {
        const updating =
          reference.id === undefined
            ? listings.updateByExternalId(reference.externalId, patch, { ifMatch })
            : listings.update(reference.id, patch, { ifMatch });
        await writeChange('Updated', await updating, options);
      });
    });
}

type DeleteOptions = CurlOptions & ListingOptions & { yes?: true; ifMatch?: number };

function addDelete(program: Command): void {
  const command = withListing(program.command('delete').description('delete a listing'));
  withCurlOption(command)
    .option('--yes', 'skip the confirmation prompt, which appears only in a terminal')
    .option('--if-match <version>', 'delete only if the listing still has this version', parseCount)
    .action((id: string | undefined, options: DeleteOptions, command: Command) => {
      const reference = toReference(id, options, command);
      return withClient(options, (client) => deleteListing(client, reference, options));
    });
}

async function deleteListing(client: PropertyListings, reference: Reference, { yes, curl, ifMatch }: DeleteOptions) {
  if (!yes && !curl && isInteractive()) {
    const { address } = await retrieve(client, reference);
    await confirm(`Permanently delete "${toLine(address)}"?`, 'Nothing was deleted.');
  }
  const { id, externalId } = reference;
  await (id === undefined
    ? client.listings.deleteByExternalId(externalId, { ifMatch })
    : client.listings.delete(id, { ifMatch }));
  note(`Deleted ${toLine(id ?? externalId)}.`);
}
