import type { ListQuery, PropertyListings } from '@property-listings/client';
import { type Command, Option } from 'commander';
import { chooseFormat } from '../arguments.ts';
import { type CurlOptions, type Service, withClient, withCurlOption } from '../connection.ts';
import { addFilters, toQuery } from '../filters.ts';
import { readListings, toJsonArray } from '../listings.ts';
import { ExportProgress } from '../output/export-progress.ts';
import { replaceFile } from '../output/replace-file.ts';
import { note, writeAll } from '../output/standard-output.ts';
import { readRaw } from '../raw-lists.ts';

const FORMATS = ['ndjson', 'csv', 'json', 'geojson'] as const;
type Format = (typeof FORMATS)[number];

interface ExportOptions extends CurlOptions {
  format?: Format;
}

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write all listings, or those that match the filters, to a file or to stdout')
    .argument('[file]', 'output file, replaced only when the export is complete; - for stdout')
    .addOption(
      new Option(
        '--format <format>',
        `${FORMATS.join(', ')}; default: determined by the file name, or ndjson for stdout`,
      ).choices(FORMATS),
    );
  withCurlOption(addFilters(command))
    .addHelpText(
      'after',
      `
NDJSON ends with the line {"end":true,…}, which marks a complete list. To print
later changes, pass its "sequence" to "listings events --after". "listings
import" accepts every format except GeoJSON.

Examples:
  $ listings export listings.csv
  $ listings export --status active | gzip > active.ndjson.gz`,
    )
    .action((given: string | undefined, options: ExportOptions, command: Command) => {
      const file = given === '-' ? undefined : given;
      const format = options.format ?? (file === undefined ? 'ndjson' : chooseFormat(FORMATS, file, command));
      const work = async (client: PropertyListings, service: Service) => {
        const query = toQuery({ ...options });
        const pieces = readPieces(client, service, query, format);
        if (options.curl) return writeAll(pieces);
        await writeExport(pieces, await ExportProgress.start(client, query, format, file), file);
      };
      return withClient(options, work, { received: file });
    });
}

const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv', geojson: 'application/geo+json' };

/**
 * JSON is written as an array, which can be imported again. The service's own JSON response wraps the list in
 * an object.
 */
function readPieces(
  client: PropertyListings,
  service: Service,
  query: ListQuery,
  format: Format,
): AsyncIterable<string | Uint8Array> {
  if (format === 'json') return toJsonArray(readListings(client, query));
  return readRaw(service, MEDIA_TYPES[format], query);
}

async function writeExport(
  pieces: AsyncIterable<string | Uint8Array>,
  progress: ExportProgress,
  file: string | undefined,
): Promise<void> {
  const watched = progress.watch(pieces);
  try {
    await (file === undefined ? writeAll(watched) : replaceFile(file, watched));
  } finally {
    progress.clear();
  }
  if (file !== undefined && process.stderr.isTTY) note(progress.describe(file));
}
