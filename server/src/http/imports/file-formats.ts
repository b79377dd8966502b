import { csvFile } from '../schemas/csv-rows.ts';
import { jsonArrayFile, ndjsonFile } from '../schemas/import-rows.ts';
import type { FileFormat } from './file-rows.ts';

/** How a file of this media type is read. */
export function formatOf(mediaType: string, ignoreUnknown: boolean): FileFormat<unknown> {
  if (mediaType === 'text/csv') return csvFile(ignoreUnknown);
  return mediaType === 'application/json' ? jsonArrayFile() : ndjsonFile();
}
