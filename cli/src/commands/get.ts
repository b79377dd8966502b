import type { Listing, PropertyListings } from '@property-listings/client';
import { parseSequence } from '../arguments.ts';
import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { type OutputOptions, withOutputOptions, writeRecord } from '../output/record.ts';

export interface ListingOptions {
  externalId?: string;
}

/** Identifies one listing by its ID or by its external ID. */
export type Reference = { id: string; externalId?: undefined } | { id?: undefined; externalId: string };

interface GetOptions extends OutputOptions, ListingOptions {
  at?: number;
}

export function addGet(program: Command): void {
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

export function withListing(command: Command): Command {
  return command
    .argument('[id]', 'ID of the listing (lst_…)')
    .option('--external-id <id>', 'your own ID for the listing, instead of its ID');
}

export function toReference(id: string | undefined, { externalId }: ListingOptions, command: Command): Reference {
  if (id !== undefined && externalId === undefined) return { id };
  if (id === undefined && externalId !== undefined) return { externalId };
  return command.usageError('Specify one listing, either by its ID or with --external-id.');
}

/** @param at retrieves the listing as it was at this sequence; requires the listing's ID */
export function retrieve({ listings }: PropertyListings, { id, externalId }: Reference, at?: number): Promise<Listing> {
  return id === undefined ? listings.retrieveByExternalId(externalId) : listings.retrieve(id, { at });
}
