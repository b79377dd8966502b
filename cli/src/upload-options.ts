import { type Command, Option } from 'commander';
import { chooseFormat, parseMapping, toGiven } from './arguments.ts';
import { usageError } from './exit-codes.ts';

const FORMATS = ['ndjson', 'csv', 'json'] as const;
const DATE_ORDERS = ['mdy', 'dmy'] as const;

/** How columns and values of a file are read. */
export interface ReadingOptions {
  map?: Record<string, string>;
  clean?: true;
  dates?: (typeof DATE_ORDERS)[number];
  ignoreUnknown?: true;
}

export interface UploadOptions {
  format?: (typeof FORMATS)[number];
}

/** Adds the argument and the format of a file to send. */
export function withUpload(command: Command): Command {
  return command
    .argument('<file>', 'NDJSON, CSV, or a JSON array, optionally gzipped (.gz); - for stdin')
    .addOption(new Option('--format <format>', `${FORMATS.join(', ')}; default: by the file name`).choices(FORMATS));
}

export function withReadingOptions(command: Command): Command {
  return command
    .option('--map <column=field>', 'name the field of a column; nothing after = skips it; repeatable', parseMapping)
    .option('--clean', 'read values as people write them, such as $450,000')
    .addOption(
      new Option('--dates <order>', 'with --clean, the order of dates such as 03/04/2026: mdy, dmy').choices(
        DATE_ORDERS,
      ),
    )
    .option('--ignore-unknown', 'skip columns that the service does not know');
}

/** The options for the client. */
export function toReading({ map, clean, dates, ignoreUnknown }: ReadingOptions): ReadingOptions {
  return toGiven({ map, clean, dates, ignoreUnknown });
}

export function toFormat(file: string, { format }: UploadOptions, command: Command): (typeof FORMATS)[number] {
  if (format !== undefined) return format;
  if (file === '-') return usageError(command, 'Set --format to read from stdin.');
  // The service finds out which separator a CSV file has.
  const name = file.replace(/\.gz$/i, '').replace(/\.(tsv|tab|txt)$/i, '.csv');
  return chooseFormat(FORMATS, name, command);
}
