import { readFileSync } from 'node:fs';
import { maskKeys } from '@property-listings/client/request';
import { CommanderError } from 'commander';
import { Command } from './command.ts';
import { addCompletion } from './commands/completion.ts';
import { addEvents } from './commands/events.ts';
import { addExport } from './commands/export.ts';
import { addFeeds } from './commands/feeds.ts';
import { addImport } from './commands/import.ts';
import { addKeys } from './commands/keys.ts';
import { addList } from './commands/list.ts';
import { addListingsManage } from './commands/listings-manage.ts';
import { addLogin, addLogout, addMe } from './commands/login.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { toCommandError } from './describe-error.ts';
import { EXIT } from './exit-codes.ts';
import { exitQuietlyOnClosedOutput, note } from './output/standard-output.ts';
import { paint } from './output/terminal.ts';
import { exitOnSignals } from './signals.ts';

const HELP = `
Environment variables:
  PROPERTY_LISTINGS_API_KEY   API key; overrides the one that "login" stored
  PROPERTY_LISTINGS_BASE_URL  address of the service, such as
                              https://listings.example.com/v1; overrides the
                              stored one
  NO_COLOR                    disables colors
  PAGER                       pager for tables in a terminal, such as less

Exit codes: 0 success, 1 failure, 2 incorrect usage, 3 run stopped by a feed's
guard, 4 API key missing or rejected.

Examples:
  $ listings list --status active,pending --city Austin --beds-gte 3
  $ listings create --address "12 Elm Street" --beds 3 --baths 2
  $ listings export listings.csv && listings import listings.csv --dry-run`;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Runs a command. Results and requested help go to stdout, everything else to stderr. */
export async function run(args: string[]): Promise<void> {
  exitQuietlyOnClosedOutput();
  exitOnSignals();
  const program = createProgram();
  if (args.length === 0) return program.outputHelp();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  }
}

function createProgram(): Command {
  const program = new Command('listings')
    .description('Manage your property listings from the command line.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    // Mask keys: an error may quote a key that was passed in the wrong place, and build logs keep stderr.
    .configureOutput({ outputError: (text, write) => write(maskKeys(text)) })
    // Do not let commander append the choices: some descriptions already list them.
    .configureHelp({ optionDescription: ({ description }) => description })
    .showHelpAfterError('(run with --help for usage)')
    .details(HELP);
  program.commandsGroup('Listings:');
  for (const add of [addList, addListingsManage]) add(program);
  program.commandsGroup('Bulk data:');
  for (const add of [addImport, addExport, addFeeds, addEvents]) add(program);
  program.commandsGroup('Webhooks:');
  addWebhooks(program);
  program.commandsGroup('Keys and settings:');
  for (const add of [addLogin, addLogout, addMe, addKeys, addCompletion]) add(program);
  program.helpCommand('help [command]', 'show help for a command');
  return program;
}

function report(error: unknown): number {
  // commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const { message, exitCode } = toCommandError(error);
  note(`${paint(process.stderr, 'red', 'error:')} ${maskKeys(message)}`);
  return exitCode;
}
