import { csvFile } from './csv-rows.ts';
import type { FileFormat } from './file-rows.ts';
import { jsonArrayFile, ndjsonFile } from './json-rows.ts';

/** How a file of this media type is read. */
export function formatOf(mediaType: string, ignoreUnknown: boolean): FileFormat<unknown> {
  if (mediaType === 'text/csv') return csvFile(ignoreUnknown);
  return mediaType === 'application/json' ? jsonArrayFile() : ndjsonFile();
}
