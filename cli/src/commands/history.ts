import type { HistoryEntry } from '@property-listings/client';
import { parseCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { PAGE_SIZE_MAX, take } from '../listings.ts';
import { describeChanges, type OutputOptions, withOutputOptions } from '../output/record.ts';
import { writeRows } from '../output/rows.ts';

const COLUMNS = ['sequence', 'version', 'at', 'type', 'actor', 'changes'];

export function addHistory(program: Command): void {
  const command = program
    .command('history')
    .description('show who changed a listing, when, and how, newest first')
    .argument('<id>', 'ID of the listing (lst_…), also if it was deleted in the last 30 days')
    .option('--limit <count>', 'maximum number of changes', parseCount);
  withOutputOptions(command)
    .details('\nTo see the whole listing as it was at a sequence: listings get ID --at SEQUENCE')
    .action((id: string, options: OutputOptions & { limit?: number }) =>
      withClient(options, async ({ listings }) => {
        const { limit = Infinity } = options;
        const entries = listings.history(id, { limit: Math.min(limit, PAGE_SIZE_MAX) });
        await writeRows(take(entries, limit), COLUMNS, options, toRow);
      }),
    );
}

function toRow({ actor, type, changes, ...entry }: HistoryEntry): object {
  return { ...entry, type: type.replace('listing.', ''), actor: actor.name, changes: describeChanges(changes) };
}
