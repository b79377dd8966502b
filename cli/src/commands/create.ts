import type { NewListing } from '@property-listings/client';
import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { writeChange } from '../output/change.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';

export function addCreate(program: Command): void {
  const command = addListingOptions(program.command('create').description('create a listing and print its id'));
  withCurlOption(withJsonOption(command))
    .addHelpText(
      'after',
      `
Examples:
  $ listings create --address "12 Elm Street" --beds 3 --baths 2 --list-price 450000
  $ echo '{"address":"12 Elm Street","beds":3,"baths":2}' | listings create`,
    )
    .action(async (options: CurlOptions & RecordOptions, command: Command) => {
      // As it was given: the service looks at it.
      const listing: NewListing = Object(await readListingInput({ ...options }, command));
      await withClient(options, async (client) => {
        await writeChange('Created', await client.listings.create(listing), options);
      });
    });
}
