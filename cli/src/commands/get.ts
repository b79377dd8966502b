import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { type RecordOptions, withJsonOption, writeRecord } from '../output/record.ts';
import { type ListingOptions, retrieve, toReference, withListing } from './one-listing.ts';

export function addGet(program: Command): void {
  const command = withListing(program.command('get').description('show a listing'));
  withCurlOption(withJsonOption(command)).action(
    (id: string | undefined, options: CurlOptions & RecordOptions & ListingOptions, command: Command) => {
      const reference = toReference(id, options, command);
      return withClient(options, async (client) => writeRecord(await retrieve(client, reference), options));
    },
  );
}
