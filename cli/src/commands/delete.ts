import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { CommandError } from '../exit-codes.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { ask, isInteractive } from '../questions.ts';
import { parseCount } from '../numbers.ts';

interface DeleteOptions extends CurlOptions {
  yes?: true;
  ifMatch?: number;
}

export function addDelete(program: Command): void {
  const command = program.command('delete').description('delete a listing').argument('<id>', 'its id (lst_…)');
  withCurlOption(command)
    .option('--yes', 'do not ask; a script is never asked')
    .option('--if-match <version>', 'only if it still has this version', parseCount)
    .action((id: string, options: DeleteOptions) =>
      withClient(options, async (client) => {
        const { yes, curl, ifMatch } = options;
        if (!yes && !curl && isInteractive()) await confirm((await client.listings.retrieve(id)).address);
        await client.listings.delete(id, { ...(ifMatch !== undefined && { ifMatch }) });
        note(`Deleted ${toLine(id)}.`);
      }),
    );
}

async function confirm(address: string): Promise<void> {
  const answer = await ask(`Delete "${toLine(address)}" for ever? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was deleted.');
}
