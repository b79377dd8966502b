import type { PropertyListings } from '@property-listings/client';
import { chooseFormat } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, type Service, withClient, withCurlOption } from '../connection.ts';
import { addFilters, toQuery } from '../filters.ts';
import { readListings, toJsonArray } from '../listings.ts';
import { startProgress } from '../output/export-progress.ts';
import { replaceFile } from '../output/replace-file.ts';
import { note, writeAll } from '../output/standard-output.ts';
import { MEDIA_TYPES, readRaw } from '../raw-lists.ts';

const FORMATS = ['ndjson', 'csv', 'json', 'geojson'] as const;

type ExportOptions = CurlOptions & { format?: (typeof FORMATS)[number] };

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('write all listings, or those that match the filters, to a file or to stdout')
    .argument('[file]', 'output file, replaced only when the export is complete; - for stdout')
    .choice(
      '--format <format>',
      `${FORMATS.join(', ')}; default: determined by the file name, or ndjson for stdout`,
      FORMATS,
    );
  withCurlOption(addFilters(command))
    .details(`
NDJSON ends with the line {"end":true,…}, which marks a complete list. To print
later changes, pass its "sequence" to "listings events --after". "listings
import" accepts every format except GeoJSON.

Examples:
  $ listings export listings.csv
  $ listings export --status active | gzip > active.ndjson.gz`)
    .action((given: string | undefined, options: ExportOptions, command: Command) => {
      const file = given === '-' ? undefined : given;
      const format = options.format ?? (file === undefined ? 'ndjson' : chooseFormat(FORMATS, file, command));
      const work = async (client: PropertyListings, service: Service) => {
        const query = toQuery({ ...options });
        // Write JSON as an array, which can be imported again. The service's own JSON wraps the list in an object.
        const pieces =
          format === 'json' ? toJsonArray(readListings(client, query)) : readRaw(service, MEDIA_TYPES[format], query);
        if (options.curl) return writeAll(pieces);
        const progress = await startProgress(client, query, format, file);
        const watched = progress?.watch(pieces) ?? pieces;
        await (file === undefined ? writeAll(watched) : replaceFile(file, watched));
        if (file !== undefined && progress !== undefined) note(progress.describe(file));
      };
      return withClient(options, work, { received: file });
    });
}
