import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { usageError } from '../exit-codes.ts';
import { LISTING_MEMBERS, toFlag } from '../fields.ts';
import { addListingOptions, readListingInput } from '../input.ts';
import { parseCount } from '../numbers.ts';
import { writeChange } from '../output/change.ts';
import { type RecordOptions, withJsonOption } from '../output/record.ts';

interface UpdateOptions extends CurlOptions, RecordOptions {
  unset?: string[];
  ifMatch?: number;
}

export function addUpdate(program: Command): void {
  const command = program
    .command('update')
    .description('change fields of a listing; all others stay as they are')
    .argument('<id>', 'its id (lst_…)');
  const unset = command
    .createOption('--unset <field>', 'take a field away; may be given several times')
    .argParser((value: string, before: string[] = []) => [...before, toMember(value, command)]);
  unset.argChoices = LISTING_MEMBERS.map(toFlag);
  withCurlOption(withJsonOption(addListingOptions(command)))
    .addOption(unset)
    .option('--if-match <version>', 'only if it still has this version', parseCount)
    .addHelpText('after', '\nExample:\n  $ listings update lst_… --status pending --list-price 440000')
    .action(async (id: string, options: UpdateOptions, command: Command) => {
      const removed = Object.fromEntries((options.unset ?? []).map((name) => [name, null]));
      const given = await readListingInput({ ...options }, command);
      const patch = { ...given, ...removed };
      if (Object.keys(patch).length === 0) usageError(command, 'Give what to change, such as --status pending.');
      await withClient(options, async (client) => {
        const { ifMatch } = options;
        const listing = await client.listings.update(id, patch, { ...(ifMatch !== undefined && { ifMatch }) });
        await writeChange('Updated', listing, options);
      });
    });
}

/** `list-price` and `listPrice` are both understood. */
function toMember(name: string, command: Command): string {
  const member = LISTING_MEMBERS.find((candidate) => candidate === name || toFlag(candidate) === name);
  return member ?? usageError(command, `There is no field "${name}" to unset.`);
}
