import { Command, CommanderError, Help, type Option } from 'commander';
import { ConfigError, readRelease } from '../environment.ts';
import { AppError } from '../model/errors.ts';
import { addAccounts } from './accounts.ts';
import { addAdministrators } from './administrators.ts';
import { addBackup } from './backup.ts';
import { addCheck } from './check.ts';
import { addCopy } from './copy.ts';
import { addKeys } from './keys.ts';
import { addMigrate } from './migrate.ts';
import { addServe } from './serve.ts';
import { addSupportBundle } from './support-bundle.ts';
import { addUsage } from './usage.ts';

const ADDED = [
  addServe,
  addCheck,
  addMigrate,
  addCopy,
  addBackup,
  addAccounts,
  addAdministrators,
  addKeys,
  addUsage,
  addSupportBundle,
];
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Runs the command line. Errors go to stderr, and the exit code is then 1, or 2 for incorrect usage. */
export async function runProgram(argv: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    process.exitCode = reportError(error);
  }
}

function createProgram(): Command {
  const program = new Command('property-listings')
    .description('A self-hosted service for property listings: REST API, dashboard, and one database.')
    .version(readRelease())
    .exitOverride()
    .showHelpAfterError('(--help shows the options)')
    .helpCommand(true)
    .configureHelp({ optionDescription: describeOption })
    .addHelpText('after', '\nSettings come from environment variables and from .env; the documentation lists them.');
  for (const add of ADDED) add(program);
  return program;
}

/** Marks required options, because the usage line has only "[options]". */
function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}

let outputError: NodeJS.ErrnoException | undefined;

/** Makes a command fail if its output cannot be written, and says why on stderr unless the reader closed the pipe. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outputError !== undefined) return;
    outputError = error;
    process.exitCode = EXIT_FAILURE;
    // A reader such as `head` closes the pipe when it has read enough.
    if (error.code !== 'EPIPE') console.error(`error: cannot write the output: ${error.message}`);
  });
  process.stderr.on('error', () => {});
}

function reportError(error: unknown): number {
  // commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (outputError !== undefined) return EXIT_FAILURE;
  const isForTheOperator = error instanceof AppError || error instanceof ConfigError;
  console.error(isForTheOperator ? `error: ${error.message}` : error);
  return EXIT_FAILURE;
}
