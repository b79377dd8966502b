import type { ListQuery, PropertyListings } from '@property-listings/client';
import { type Command, Option } from 'commander';
import { type CurlOptions, type Service, withClient, withCurlOption } from '../connection.ts';
import { addFilters, toQuery } from '../filters.ts';
import { chooseFormat } from '../formats.ts';
import { readListings } from '../listings.ts';
import { ExportProgress } from '../output/export-progress.ts';
import { toJsonArray } from '../output/json-array.ts';
import { replaceFile } from '../output/replace-file.ts';
import { gather, note, writeAll } from '../output/standard-output.ts';
import { readRaw } from '../raw-lists.ts';

const FORMATS = ['ndjson', 'csv', 'json', 'geojson'] as const;
type Format = (typeof FORMATS)[number];

interface ExportOptions extends CurlOptions {
  format?: Format;
}

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write all listings, or those that the filters leave, to a file or to stdout')
    .argument('[file]', 'is there only once it is whole; - for stdout')
    .addOption(
      new Option(
        '--format <format>',
        `${FORMATS.join(', ')}; without it, what the name of the file says, else ndjson`,
      ).choices(FORMATS),
    );
  withCurlOption(addFilters(command))
    .addHelpText(
      'after',
      `
NDJSON ends with a line {"end":true,…}: it says that the list is whole, and its "sequence" from where
"listings events" goes on. "listings import" takes each of the formats but GeoJSON.

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

/** JSON is written here, as an array that can be imported again; the service's has the list inside an object. */
function readPieces(
  client: PropertyListings,
  service: Service,
  query: ListQuery,
  format: Format,
): AsyncIterable<string | Uint8Array> {
  if (format === 'json') return gather(toJsonArray(readListings(client, query)));
  return readRaw(service, MEDIA_TYPES[format], query);
}

async function writeExport(
  pieces: AsyncIterable<string | Uint8Array>,
  progress: ExportProgress,
  file: string | undefined,
): Promise<void> {
  const seen = progress.watch(pieces);
  try {
    await (file === undefined ? writeAll(seen) : replaceFile(file, seen));
  } finally {
    progress.clear();
  }
  if (file !== undefined && process.stderr.isTTY) note(progress.describe(file));
}
