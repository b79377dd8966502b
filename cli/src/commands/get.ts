import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { type RecordOptions, withJsonOption, writeRecord } from '../output/record.ts';

export function addGet(program: Command): void {
  const command = program.command('get').description('show a listing').argument('<id>', 'its id (lst_…)');
  withCurlOption(withJsonOption(command)).action((id: string, options: CurlOptions & RecordOptions) =>
    withClient(options, async (client) => writeRecord(await client.listings.retrieve(id), options)),
  );
}
