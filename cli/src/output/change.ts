import type { Listing } from '@property-listings/client';
import type { RecordOptions } from './record.ts';
import { note, write } from './standard-output.ts';
import { paint, toJson, toLine } from './terminal.ts';

/** What a change has led to: its id on stdout for scripts, its address for people beside it; or the listing as JSON. */
export async function writeChange(word: string, listing: Listing, { json }: RecordOptions): Promise<void> {
  if (json) return write(`${toJson(listing)}\n`);
  if (process.stderr.isTTY) {
    note(`${paint(process.stderr, 'green', word)} "${toLine(listing.address)}", version ${listing.version}:`);
  }
  await write(`${toLine(listing.id)}\n`);
}
