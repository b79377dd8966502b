import type { Listing, PropertyListings } from '@property-listings/client';
import type { Command } from 'commander';
import { parseSequence } from '../arguments.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { type RecordOptions, withJsonOption, writeRecord } from '../output/record.ts';

export interface ListingOptions {
  externalId?: string;
}

/** Identifies one listing by its ID or by its external ID. */
export type Reference = { id: string; externalId?: undefined } | { id?: undefined; externalId: string };

interface GetOptions extends CurlOptions, RecordOptions, ListingOptions {
  at?: number;
}

export function addGet(program: Command): void {
  const command = withListing(program.command('get').description('show a listing')).option(
    '--at <sequence>',
    'the listing as it was at this sequence, from the last 30 days; requires the ID',
    parseSequence,
  );
  withCurlOption(withJsonOption(command)).action((id: string | undefined, options: GetOptions, command: Command) => {
    const { at } = options;
    const reference = toReference(id, options, command);
    if (at !== undefined) {
      if (reference.id === undefined) return usageError(command, 'With --at, specify the listing by its ID.');
      const { id } = reference;
      return withClient(options, async ({ listings }) => writeRecord(await listings.retrieve(id, { at }), options));
    }
    return withClient(options, async (client) => writeRecord(await retrieve(client, reference), options));
  });
}

/** Adds the argument and the option that identify a listing. */
export function withListing(command: Command): Command {
  return command
    .argument('[id]', 'ID of the listing (lst_…)')
    .option('--external-id <id>', 'your own ID for the listing, instead of its ID');
}

export function toReference(id: string | undefined, { externalId }: ListingOptions, command: Command): Reference {
  if (id !== undefined && externalId === undefined) return { id };
  if (id === undefined && externalId !== undefined) return { externalId };
  return usageError(command, 'Specify one listing, either by its ID or with --external-id.');
}

export function retrieve({ listings }: PropertyListings, { id, externalId }: Reference): Promise<Listing> {
  return id === undefined ? listings.retrieveByExternalId(externalId) : listings.retrieve(id);
}
