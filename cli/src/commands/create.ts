import type { NewListing } from '@property-listings/client';
import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { writeChange } from '../output/change.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';
import type { ListingOptions } from './one-listing.ts';

interface CreateOptions extends CurlOptions, ListingOptions, RecordOptions {
  replace?: true;
}

export function addCreate(program: Command): void {
  const command = addListingOptions(program.command('create').description('create a listing and print its id'));
  withCurlOption(withJsonOption(command))
    .option('--replace', 'with --external-id: replace the listing that has it as a whole, if there is one')
    .addHelpText(
      'after',
      `
Examples:
  $ listings create --address "12 Elm Street" --beds 3 --baths 2 --list-price 450000
  $ echo '{"address":"12 Elm Street","beds":3,"baths":2}' | listings create`,
    )
    .action(async (options: CreateOptions, command: Command) => {
      const { replace, externalId } = options;
      if (replace && externalId === undefined) usageError(command, 'Give --external-id for what is to be replaced.');
      // As it was given: the service looks at it.
      const listing: NewListing = Object(await readListingInput({ ...options }, command));
      await withClient(options, async (client) => {
        if (!replace || externalId === undefined) {
          await writeChange('Created', await client.listings.create(listing), options);
          return;
        }
        const saved = await client.listings.upsert(externalId, listing);
        await writeChange(saved.version === 1 ? 'Created' : 'Replaced', saved, options);
      });
    });
}
