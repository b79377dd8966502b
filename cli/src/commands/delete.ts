import type { PropertyListings } from '@property-listings/client';
import type { Command } from 'commander';
import { parseCount } from '../arguments.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { CommandError } from '../exit-codes.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { ask, isInteractive } from '../questions.ts';
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
  if (!yes && !curl && isInteractive()) await confirm((await retrieve(client, reference)).address);
  const { id, externalId } = reference;
  await (id === undefined
    ? client.listings.deleteByExternalId(externalId, { ifMatch })
    : client.listings.delete(id, { ifMatch }));
  note(`Deleted ${toLine(id ?? externalId)}.`);
}

const LEFT = 'Nothing was deleted.';

async function confirm(address: string): Promise<void> {
  const answer = await ask(`Permanently delete "${toLine(address)}"? [y/N] `, LEFT);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(LEFT);
}
