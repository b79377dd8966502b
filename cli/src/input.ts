import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { collect, parseNumber } from './arguments.ts';
import type { Command } from './command.ts';
import { CommandError } from './exit-codes.ts';
import { CHOICES, FIELD_DESCRIPTIONS, FIELD_NAMES, NUMBER_FIELDS, toFlag } from './fields.ts';

type Members = Record<string, unknown>;

export function addListingOptions(command: Command): Command {
  for (const name of FIELD_NAMES) {
    const isNumber = NUMBER_FIELDS.has(name);
    const choices = CHOICES[name] ?? [];
    const description = [FIELD_DESCRIPTIONS[name], choices.join(', ')].filter(Boolean).join(': ');
    const option = command.createOption(`--${toFlag(name)} <${isNumber ? 'number' : 'text'}>`, description);
    if (isNumber) option.argParser(parseNumber);
    if (choices.length > 0) option.argChoices = [...choices];
    command.addOption(option);
  }
  return command
    .option('--photo <url>', 'photo URL; repeatable', collect)
    .option('--metadata <name=value>', 'custom value; repeatable', collect)
    .option('--data <json>', 'listing as JSON, @FILE, or - for stdin; other options override it');
}

/** Merges options with `--data` or, if there is neither `--data` nor a field to set or unset, with a piped stdin. */
export async function readListingInput(options: Members, command: Command): Promise<Members> {
  const flags = readFlags(options, command);
  const hasFlags = Object.keys(flags).length > 0 || options.unset !== undefined;
  const source = options.data ?? (hasFlags || process.stdin.isTTY ? undefined : '-');
  const data = source === undefined ? {} : parseData(await readData(String(source)), options.data === undefined);
  const metadata = { ...Object(data.metadata), ...Object(flags.metadata) };
  return { ...data, ...flags, ...(flags.metadata !== undefined && { metadata }) };
}

function readFlags(options: Members, command: Command): Members {
  const members = FIELD_NAMES.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  return {
    ...Object.fromEntries(members),
    ...(Array.isArray(options.photo) && { photos: options.photo.map((url) => ({ url })) }),
    ...(Array.isArray(options.metadata) && {
      metadata: Object.fromEntries(options.metadata.map((pair) => readPair(pair, command))),
    }),
  };
}

/** Splits an argument such as `floor=3`. The value is always a string; numbers and booleans require `--data`. */
function readPair(pair: string, command: Command): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) return command.usageError(`--metadata must be name=value, such as agent=Ada, not "${pair}".`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

async function readData(source: string): Promise<string> {
  if (source === '-') return text(process.stdin);
  if (!source.startsWith('@')) return source;
  return readFile(source.slice(1), 'utf8').catch((error: Error) => {
    throw new CommandError(`Cannot read the file: ${error.message}`);
  });
}

function parseData(json: string, isOptional: boolean): Members {
  if (isOptional && json.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new CommandError(`The listing is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CommandError('The listing must be a JSON object such as {"address":"12 Elm Street"}.');
}
