import type { ListingPatch, PropertyListings } from '@property-listings/client';
import { LISTING_FIELDS, REQUIRED_FIELDS, WRITABLE_FIELDS } from '@property-listings/client/constants';
import type { Command } from 'commander';
import { collect, parseCount } from '../arguments.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { toFlag } from '../fields.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { type RecordOptions, withJsonOption, writeChange } from '../output/record.ts';
import { type ListingOptions, type Reference, toReference } from './get.ts';

interface UpdateOptions extends CurlOptions, ListingOptions, RecordOptions {
  unset?: string[];
  ifMatch?: number;
}

const REQUIRED: ReadonlySet<string> = new Set(REQUIRED_FIELDS);

export function addUpdate(program: Command): void {
  const command = program
    .command('update')
    .description('change fields of a listing; all others stay the same')
    .argument('[id]', 'ID of the listing (lst_…); without it, --external-id selects the listing');
  const unset = command
    .createOption('--unset <field>', 'remove a field; repeatable')
    .argParser((value: string, before?: string[]) => collect(toMember(value, command), before));
  unset.argChoices = WRITABLE_FIELDS.filter((name) => !REQUIRED.has(name)).map(toFlag);
  withCurlOption(withJsonOption(addListingOptions(command)))
    .addOption(unset)
    .option('--if-match <version>', 'update only if the listing still has this version', parseCount)
    .addHelpText(
      'after',
      `
With an ID, --external-id sets the listing's external ID. Without one, it
selects the listing.

Examples:
  $ listings update lst_… --status pending --list-price 440000
  $ listings update --external-id MLS-20931 --status closed`,
    )
    .action(async (id: string | undefined, options: UpdateOptions, command: Command) => {
      const { externalId: _selector, ...fields } = options;
      const reference = id === undefined ? toReference(id, options, command) : { id };
      const patch = await readPatch(id === undefined ? fields : options, command);
      await withClient(options, (client) => update(client, reference, patch, options));
    });
}

async function readPatch(options: UpdateOptions, command: Command): Promise<ListingPatch> {
  const given = await readListingInput({ ...options }, command);
  const unset = options.unset ?? [];
  const both = unset.find((name) => given[name] !== undefined);
  if (both !== undefined) usageError(command, `Either set --${toFlag(both)} or unset it, not both.`);
  const patch = { ...given, ...Object.fromEntries(unset.map((name) => [name, null])) };
  if (Object.keys(patch).length === 0) usageError(command, 'Specify at least one change, such as --status pending.');
  return patch;
}

async function update(
  client: PropertyListings,
  reference: Reference,
  patch: ListingPatch,
  { ifMatch, ...options }: UpdateOptions,
): Promise<void> {
  const { id, externalId } = reference;
  const updating =
    id === undefined
      ? client.listings.updateByExternalId(externalId, patch, { ifMatch })
      : client.listings.update(id, patch, { ifMatch });
  await writeChange('Updated', await updating, options);
}

/** Accepts both `list-price` and `listPrice`. */
function toMember(name: string, command: Command): string {
  const member = LISTING_FIELDS.find((candidate) => candidate === name || toFlag(candidate) === name);
  return member ?? usageError(command, `Cannot unset "${name}": there is no such field.`);
}
