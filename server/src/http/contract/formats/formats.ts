import { csvFormat } from './csv.ts';
import { geojsonFormat } from './geojson.ts';
import { jsonFormat } from './json.ts';
import type { ListFormat } from './list-format.ts';
import { ndjsonFormat } from './ndjson.ts';

/** The default format comes first. */
const FORMATS = [jsonFormat, ndjsonFormat, csvFormat, geojsonFormat];

export const LIST_TYPES = FORMATS.map(({ mediaType }) => mediaType);

export function formatOf(mediaType: string): ListFormat {
  return FORMATS.find((format) => format.mediaType === mediaType) ?? jsonFormat;
}
