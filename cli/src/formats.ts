import { extname } from 'node:path';
import type { Command } from 'commander';
import { usageError } from './exit-codes.ts';

const EXTENSIONS: Record<string, string> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
  '.json': 'json',
  '.geojson': 'geojson',
};

/** The format that the name of a file tells. */
export function chooseFormat<Format extends string>(
  formats: readonly Format[],
  file: string,
  command: Command,
): Format {
  const named = EXTENSIONS[extname(file).toLowerCase()];
  const format = formats.find((candidate) => candidate === named);
  return (
    format ??
    usageError(command, `Give --format with one of ${formats.join(', ')}: the name of the file does not tell.`)
  );
}
