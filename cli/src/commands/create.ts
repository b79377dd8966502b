import type { NewListing } from '@property-listings/client';
import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { type OutputOptions, withOutputOptions, writeChange } from '../output/record.ts';
import type { ListingOptions } from './get.ts';

export function addCreate(program: Command): void {
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
