import { Button, Menu } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Listing } from '../../api/admin';
import { send } from '../../api/client';
import { findListing, isListingId } from '../../api/queries';
import { toCsv } from '../../lib/csv';
import { formatBytes } from '../../lib/format';
import { attempt } from '../../lib/notify';
import { saveFile } from '../../lib/save-file';
import { COLUMNS } from './columns';
import { type ListingSearch, toExportQuery } from './search';

interface Format {
  label: string;
  type: string;
  ending: string;
}

export const CSV: Format = { label: 'CSV, for spreadsheets', type: 'text/csv', ending: 'csv' };
const FORMATS = [
  CSV,
  { label: 'NDJSON, for apps', type: 'application/x-ndjson', ending: 'ndjson' },
  { label: 'GeoJSON, for maps', type: 'application/geo+json', ending: 'geojson' },
];

/** Received chunks with this total size are merged into a blob, which the browser can move to disk. */
const FOLD_BYTES = 4_000_000;
/** How often the page updates the size that it displays. */
const PROGRESS_MS = 200;

export function ExportMenu({ search }: { search: ListingSearch }) {
  const [bytes, setBytes] = useState<number>();

  const download = async (format: Format) => {
    setBytes(0);
    await attempt('The export failed', () => exportAll(search, format, setBytes));
    setBytes(undefined);
  };

  // The service does not find listings by their own ID, so the page makes the file, which can only be CSV.
  const formats = isListingId(search.q) ? [CSV] : FORMATS;
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} width={220}>
      <Menu.Target>
        <Button leftSection={<Download size={16} />} disabled={bytes !== undefined}>
          {bytes === undefined ? 'Export' : formatBytes(bytes)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map((format) => (
          <Menu.Item key={format.type} onClick={() => download(format)}>
            {format.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export async function exportAll(search: ListingSearch, { type, ending }: Format, onProgress = (_: number) => {}) {
  if (search.q !== undefined && isListingId(search.q)) {
    const listing = await findListing(search.q);
    if (listing !== undefined) return exportSome([listing]);
  }
  const query = toExportQuery(search);
  const response = await send('GET', '/admin/listings', { query, headers: { Accept: type } });
  save(await readBlob(response, type, onProgress), ending);
}

/** Saves the given listings as CSV. */
export async function exportSome(listings: Listing[]): Promise<void> {
  const names = ['id', ...COLUMNS, 'version', 'createdAt', 'updatedAt', 'feed'];
  save(new Blob([toCsv(names, listings)], { type: CSV.type }), CSV.ending);
}

function save(blob: Blob, ending: string): void {
  saveFile(blob, `listings-${new Date().toISOString().slice(0, 10)}.${ending}`);
}

/** @throws if the response ends early, so that an incomplete file is never saved */
async function readBlob(response: Response, type: string, onProgress: (bytes: number) => void): Promise<Blob> {
  let parts: BlobPart[] = [];
  let unfoldedBytes = 0;
  let bytes = 0;
  let shownAtMs = 0;
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) {
    parts.push(step.value);
    bytes += step.value.length;
    unfoldedBytes += step.value.length;
    if (unfoldedBytes > FOLD_BYTES) {
      parts = [new Blob(parts)];
      unfoldedBytes = 0;
    }
    if (performance.now() - shownAtMs < PROGRESS_MS) continue;
    shownAtMs = performance.now();
    onProgress(bytes);
  }
  return new Blob(parts, { type });
}
