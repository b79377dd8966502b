import type { HistoryEntry } from '@property-listings/client';
import type { Command } from 'commander';
import { parseCount } from '../arguments.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { PAGE_SIZE_MAX, toJsonArray } from '../listings.ts';
import { toTabbedLines, toTable } from '../output/listing-table.ts';
import { page } from '../output/pager.ts';
import { type RecordOptions, toText, withJsonOption } from '../output/record.ts';
import { gather, writeAll } from '../output/standard-output.ts';

interface HistoryOptions extends CurlOptions, RecordOptions {
  limit?: number;
}

const COLUMNS = ['sequence', 'version', 'at', 'type', 'actor', 'changes'];

export function addHistory(program: Command): void {
  const command = program
    .command('history')
    .description('show who changed a listing, when, and how, newest first')
    .argument('<id>', 'ID of the listing (lst_…), also if it was deleted in the last 30 days')
    .option('--limit <count>', 'maximum number of changes', parseCount);
  withCurlOption(withJsonOption(command))
    .addHelpText(
      'after',
      `
To see the whole listing as it was at a sequence: listings get ID --at SEQUENCE`,
    )
    .action((id: string, options: HistoryOptions) =>
      withClient(options, async ({ listings }) => {
        const { limit = Infinity, json } = options;
        const entries = first(listings.history(id, { limit: Math.min(limit, PAGE_SIZE_MAX) }), limit);
        if (json) return writeAll(toJsonArray(entries));
        const rows = toRows(entries);
        if (!process.stdout.isTTY) return writeAll(gather(toTabbedLines(rows, COLUMNS)));
        await page(gather(toTable(rows, COLUMNS)));
      }),
    );
}

async function* first<T>(entries: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let count = 0;
  for await (const entry of entries) {
    yield entry;
    count += 1;
    if (count >= limit) return;
  }
}

async function* toRows(entries: AsyncIterable<HistoryEntry>): AsyncGenerator<object> {
  for await (const { actor, type, changes, ...entry } of entries) {
    yield { ...entry, type: type.replace('listing.', ''), actor: actor.name, changes: describe(changes) };
  }
}

/** `listPrice 450000 → 439000, description` */
function describe(changes: HistoryEntry['changes']): string {
  const parts = Object.entries(changes).map(([name, change]) =>
    'from' in change ? `${name} ${toText(change.from) || '-'} → ${toText(change.to) || '-'}` : name,
  );
  return parts.join(', ');
}
