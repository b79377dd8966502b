import type { NewListing } from '@property-listings/client';
import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { type RecordOptions, withJsonOption, writeChange } from '../output/record.ts';
import type { ListingOptions } from './get.ts';

interface CreateOptions extends CurlOptions, ListingOptions, RecordOptions {
  replace?: true;
}

export function addCreate(program: Command): void {
  const command = addListingOptions(program.command('create').description('create a listing and print its ID'));
  withCurlOption(withJsonOption(command))
    .option('--replace', 'with --external-id: replace the existing listing, if there is one')
    .addHelpText(
      'after',
      `
Examples:
  $ listings create --address "12 Elm Street" --beds 3 --baths 2 --city Austin
  $ echo '{"address":"12 Elm Street","beds":3,"baths":2}' | listings create`,
    )
    .action(async (options: CreateOptions, command: Command) => {
      const { replace, externalId } = options;
      if (replace && externalId === undefined) usageError(command, '--replace requires --external-id.');
      // The service validates the input.
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
