import type { Listing, PropertyListings } from '@property-listings/client';
import type { Command } from 'commander';
import { usageError } from '../exit-codes.ts';

export interface ListingOptions {
  externalId?: string;
}

/** What a command is about. */
export type Reference = { id: string; externalId?: undefined } | { id?: undefined; externalId: string };

/** Lets a command be about one listing, by its id or by the caller's own one. */
export function withListing(command: Command): Command {
  return command.argument('[id]', 'its id (lst_…)').option('--external-id <id>', 'your own id for it, instead');
}

export function toReference(id: string | undefined, { externalId }: ListingOptions, command: Command): Reference {
  if (id !== undefined && externalId === undefined) return { id };
  if (id === undefined && externalId !== undefined) return { externalId };
  return usageError(command, 'Name one listing: by its id, or by --external-id.');
}

export function retrieve({ listings }: PropertyListings, { id, externalId }: Reference): Promise<Listing> {
  return id === undefined ? listings.retrieveByExternalId(externalId) : listings.retrieve(id);
}
