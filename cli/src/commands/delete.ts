import type { PropertyListings } from '@property-listings/client';
import { parseCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { confirm, isInteractive } from '../questions.ts';
import { type ListingOptions, type Reference, retrieve, toReference, withListing } from './get.ts';

interface DeleteOptions extends CurlOptions, ListingOptions {
  yes?: true;
  ifMatch?: number;
}

export function addDelete(program: Command): void {
  const command = withListing(program.command('delete').description('delete a listing'));
  withCurlOption(command)
    .option('--yes', 'skip the confirmation prompt, which appears only in a terminal')
    .option('--if-match <version>', 'delete only if the listing still has this version', parseCount)
    .action((id: string | undefined, options: DeleteOptions, command: Command) => {
      const reference = toReference(id, options, command);
      return withClient(options, (client) => deleteListing(client, reference, options));
    });
}

async function deleteListing(client: PropertyListings, reference: Reference, { yes, curl, ifMatch }: DeleteOptions) {
  if (!yes && !curl && isInteractive()) {
    const { address } = await retrieve(client, reference);
    await confirm(`Permanently delete "${toLine(address)}"?`, 'Nothing was deleted.');
  }
  const { id, externalId } = reference;
  await (id === undefined
    ? client.listings.deleteByExternalId(externalId, { ifMatch })
    : client.listings.delete(id, { ifMatch }));
  note(`Deleted ${toLine(id ?? externalId)}.`);
}
