import { REQUIRED_FIELDS, WRITABLE_FIELDS } from '@property-listings/client/constants';
import { parseCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { type OutputOptions, withOutputOptions, writeChange } from '../output/record.ts';
import { toPatch, unsetOption } from '../patch.ts';
import { type ListingOptions, toReference } from './get.ts';

interface UpdateOptions extends OutputOptions, ListingOptions {
  unset?: string[];
  ifMatch?: number;
}

const REQUIRED: ReadonlySet<string> = new Set(REQUIRED_FIELDS);

export function addUpdate(program: Command): void {
  const command = program
    .command('update')
    .description('change fields of a listing; all others stay the same')
    .argument('[id]', 'ID of the listing (lst_…); without it, --external-id selects the listing');
  const optional = WRITABLE_FIELDS.filter((name) => !REQUIRED.has(name));
  withOutputOptions(addListingOptions(command))
    .addOption(unsetOption(optional, '--unset <field>', 'remove a field'))
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
      const given = await readListingInput(id === undefined ? { ...fields } : { ...options }, command);
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
