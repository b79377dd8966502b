import type { ImportOptions } from '@property-listings/client';
import { WRITABLE_FIELDS } from '@property-listings/client/constants';
import { chooseFormat, parsePair, toGiven } from './arguments.ts';
import { type Command, wrap } from './command.ts';

const FORMATS = ['ndjson', 'csv', 'json'] as const;
const DATES = ['mdy', 'dmy'] as const;
const DECIMALS = ['comma', 'point'] as const;

export interface ReadingOptions extends Pick<ImportOptions, 'map' | 'clean' | 'dates' | 'decimal' | 'ignoreUnknown'> {
  value?: Record<string, string>;
  default?: Record<string, string>;
}

export interface UploadOptions extends ReadingOptions {
  format?: (typeof FORMATS)[number];
}

export function withUpload(command: Command): Command {
  return command
    .argument('<file>', 'NDJSON, CSV, or a JSON array, optionally gzipped (.gz); - for stdin')
    .choice('--format <format>', `${FORMATS.join(', ')}; default: determined by the file name`, FORMATS);
}

export function withReadingOptions(command: Command): Command {
  return command
    .option(
      '--map <column=field>',
      'import a column as this field; COLUMN= skips the column; repeatable',
      parsePair('COLUMN=FIELD, such as Price=listPrice, or COLUMN= to skip'),
    )
    .option(
      '--value <field:word=value>',
      'replace a word in a field with this value; FIELD:WORD= means no value; repeatable',
      parsePair('FIELD:WORD=VALUE, such as status:Verkauft=closed'),
    )
    .option(
      '--default <field=value>',
      'the value of a field in rows that have none; repeatable',
      parsePair('FIELD=VALUE, such as currency=EUR'),
    )
    .option('--clean', 'read values as people write them, such as $450,000')
    .choice('--dates <order>', 'with --clean, the order of day and month in dates such as 03/04/2026: mdy, dmy', DATES)
    .choice('--decimal <separator>', 'with --clean, the decimal separator in numbers: comma, point', DECIMALS)
    .option('--ignore-unknown', 'skip columns that the service does not know')
    .details(`\nFields (RESO names and metadata.NAME are also accepted):\n${wrap(WRITABLE_FIELDS.join(' '))}`);
}

export function toReading({ map, value, default: byDefault, clean, dates, decimal, ignoreUnknown }: ReadingOptions) {
  return toGiven({ map, values: value, defaults: byDefault, clean, dates, decimal, ignoreUnknown });
}

export function toFormat(file: string, { format }: UploadOptions, command: Command): (typeof FORMATS)[number] {
  if (format !== undefined) return format;
  if (file === '-') return command.usageError('Set --format to read from stdin.');
  // The service detects the separator of a CSV file.
  const name = file.replace(/\.gz$/i, '').replace(/\.(tsv|tab|txt)$/i, '.csv');
  return chooseFormat(FORMATS, name, command);
}
