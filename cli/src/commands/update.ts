import type { ListingPatch, PropertyListings } from '@property-listings/client';
import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { LISTING_MEMBERS, OPTIONAL_MEMBERS, toFlag } from '../fields.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { parseCount } from '../numbers.ts';
import { writeChange } from '../output/change.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';
import { type ListingOptions, type Reference, retrieve, toReference } from './one-listing.ts';

interface UpdateOptions extends CurlOptions, ListingOptions, RecordOptions {
  unset?: string[];
  ifMatch?: number;
}

export function addUpdate(program: Command): void {
  const command = program
    .command('update')
    .description('change fields of a listing; all others stay as they are')
    .argument('[id]', 'its id (lst_…); without it, --external-id names the listing');
  const unset = command
    .createOption('--unset <field>', 'take a field away; may be given several times')
    .argParser((value: string, before: string[] = []) => [...before, toMember(value, command)]);
  unset.argChoices = OPTIONAL_MEMBERS.map(toFlag);
  withCurlOption(withJsonOption(addListingOptions(command)))
    .addOption(unset)
    .option('--if-match <version>', 'only if it still has this version', parseCount)
    .addHelpText(
      'after',
      `
With an id, --external-id is what the listing's own one becomes; without, it says which listing is meant.

Examples:
  $ listings update lst_… --status pending --list-price 440000
  $ listings update --external-id MLS-20931 --status closed`,
    )
    .action(async (id: string | undefined, options: UpdateOptions, command: Command) => {
      // Without an id it is no field to change.
      const { externalId: _name, ...fields } = options;
      const reference = id === undefined ? toReference(id, options, command) : { id };
      const patch = await readPatch(id === undefined ? fields : options, command);
      await withClient(options, (client) => update(client, reference, patch, options));
    });
}

async function readPatch(options: UpdateOptions, command: Command): Promise<ListingPatch> {
  const given = await readListingInput({ ...options }, command);
  const unset = options.unset ?? [];
  const both = unset.find((name) => given[name] !== undefined);
  if (both !== undefined) usageError(command, `${toFlag(both)} is given and unset: choose one.`);
  const patch = { ...given, ...Object.fromEntries(unset.map((name) => [name, null])) };
  if (Object.keys(patch).length === 0) usageError(command, 'Give what to change, such as --status pending.');
  return patch;
}

async function update(
  client: PropertyListings,
  reference: Reference,
  patch: ListingPatch,
  options: UpdateOptions,
): Promise<void> {
  const { ifMatch } = options;
  const id = reference.id ?? (await retrieve(client, reference)).id;
  const listing = await client.listings.update(id, patch, { ...(ifMatch !== undefined && { ifMatch }) });
  await writeChange('Updated', listing, options);
}

/** `list-price` and `listPrice` are both understood. */
function toMember(name: string, command: Command): string {
  const member = LISTING_MEMBERS.find((candidate) => candidate === name || toFlag(candidate) === name);
  return member ?? usageError(command, `There is no field "${name}" to unset.`);
}
