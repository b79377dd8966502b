import { readFileSync } from 'node:fs';
import { maskKeys } from '@property-listings/client/request';
import { Command, CommanderError } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addCreate } from './commands/create.ts';
import { addDelete } from './commands/delete.ts';
import { addEvents } from './commands/events.ts';
import { addExport } from './commands/export.ts';
import { addGet } from './commands/get.ts';
import { addImport } from './commands/import.ts';
import { addKeys } from './commands/keys.ts';
import { addList } from './commands/list.ts';
import { addLogin } from './commands/login.ts';
import { addLogout } from './commands/logout.ts';
import { addMe } from './commands/me.ts';
import { addUpdate } from './commands/update.ts';
import { describeError } from './describe-error.ts';
import { EXIT } from './exit-codes.ts';
import { endQuietlyWithReader, note } from './output/standard-output.ts';
import { paint } from './output/terminal.ts';
import { endOnSignals } from './signals.ts';

/** Runs a command. Answers go to stdout, everything else to stderr. */
export async function run(args: string[]): Promise<void> {
  endQuietlyWithReader();
  endOnSignals();
  const program = createProgram();
  if (args.length === 0) return program.outputHelp();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  }
}

const HELP = `
Settings:
  PROPERTY_LISTINGS_API_KEY   the key; wins over what "listings login" has stored
  PROPERTY_LISTINGS_BASE_URL  the service's address, such as https://listings.example.com/v1; likewise
  NO_COLOR                    no colours
  PAGER                       what shows long tables in a terminal, such as less

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 needs a key.

Examples:
  $ listings list --status active,pending --city Austin --beds-gte 3
  $ listings create --address "12 Elm Street" --beds 3 --baths 2
  $ listings export listings.csv && listings import listings.csv --dry-run`;

function createProgram(): Command {
  const program = new Command('listings')
    .description('Your property listings, from the command line.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this')
    .exitOverride()
    // Who puts a key into the wrong place finds it in the log of a build otherwise.
    .configureOutput({ outputError: (text, write) => write(maskKeys(text)) })
    // The descriptions name choices where that helps; completion knows them all.
    .configureHelp({ optionDescription: ({ description }) => description })
    .showHelpAfterError('(--help shows what can be given)')
    .addHelpText('after', HELP);
  program.commandsGroup('Listings:');
  for (const add of [addList, addGet, addCreate, addUpdate, addDelete]) add(program);
  program.commandsGroup('Many at once:');
  for (const add of [addImport, addExport, addEvents]) add(program);
  program.commandsGroup('Keys and settings:');
  for (const add of [addLogin, addLogout, addMe, addKeys, addCompletion]) add(program);
  program.helpCommand('help [command]', 'show what a command takes');
  return program;
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}

function report(error: unknown): number {
  // commander has already said what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const { lines, exitCode } = describeError(error);
  note(`${paint(process.stderr, 'red', 'error:')} ${maskKeys(lines.join('\n'))}`);
  return exitCode;
}
