import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CommandError, usageError } from './exit-codes.ts';
import { FIELDS, toFlag } from './fields.ts';
import { parseNumber } from './numbers.ts';

type Members = Record<string, unknown>;

/** What `create` and `update` take of a listing. */
export function addListingOptions(command: Command): Command {
  for (const { name, type, description, choices } of FIELDS) {
    const isNumber = type === 'integer' || type === 'decimal';
    const option = command.createOption(`--${toFlag(name)} <${isNumber ? 'number' : 'text'}>`, description);
    if (isNumber) option.argParser(parseNumber);
    // For help and completion: the service says which ones it takes, as a newer one may take more.
    if (choices !== undefined) {
      option.description = `${description}: ${choices.join(', ')}`;
      option.argChoices = [...choices];
    }
    command.addOption(option);
  }
  return command
    .option('--photo <url>', 'address of a photo; may be given several times', collect)
    .option('--metadata <name=value>', 'a value of your own; may be given several times', collect)
    .option('--data <json>', 'the listing as JSON, @FILE, or - for stdin; flags come on top of it');
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** The members that flags, `--data` or stdin give; stdin is read without `--data` only if there is no flag at all. */
export async function readListingInput(options: Members, command: Command): Promise<Members> {
  const flags = readFlags(options, command);
  const hasFlags = Object.keys(flags).length > 0 || options.unset !== undefined;
  const source = options.data ?? (hasFlags || process.stdin.isTTY ? undefined : '-');
  const data = source === undefined ? {} : parseData(await readData(String(source)), options.data === undefined);
  return { ...data, ...flags, ...mergeMetadata(data, flags) };
}

function readFlags(options: Members, command: Command): Members {
  const members = FIELDS.filter(({ name }) => options[name] !== undefined).map(({ name }) => [name, options[name]]);
  return {
    ...Object.fromEntries(members),
    ...(Array.isArray(options.photo) && { photos: options.photo.map((url) => ({ url })) }),
    ...(Array.isArray(options.metadata) && {
      metadata: Object.fromEntries(options.metadata.map((pair) => readPair(pair, command))),
    }),
  };
}

/** `floor=3` is a text, as a flag's value always is; numbers and booleans come with `--data`. */
function readPair(pair: string, command: Command): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) return usageError(command, `--metadata is a name and a value, such as agent=Ada, and not "${pair}".`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function mergeMetadata({ metadata: given }: Members, { metadata: flags }: Members): Members {
  return flags === undefined ? {} : { metadata: { ...Object(given), ...Object(flags) } };
}

async function readData(source: string): Promise<string> {
  if (source === '-') return text(process.stdin);
  if (!source.startsWith('@')) return source;
  const file = source.slice(1);
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`The file cannot be read: ${error.message}`);
  });
}

/** Nobody had to give anything on stdin. */
function parseData(json: string, isOptional: boolean): Members {
  if (isOptional && json.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const words = error instanceof Error ? error.message : '';
    throw new CommandError(`What was given as the listing is not JSON: ${words}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CommandError('What was given as the listing is not a JSON object such as {"address":"12 Elm Street"}.');
}
