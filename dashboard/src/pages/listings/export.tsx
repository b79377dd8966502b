import { Button, Menu } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { send } from '../../api/client';
import { formatBytes } from '../../lib/format';
import { notifyFailure } from '../../lib/notify';
import { saveFile } from '../../lib/save-file';
import type { ListingSearch } from './search';

const FORMATS = [
  { label: 'CSV, for spreadsheets', type: 'text/csv', ending: 'csv' },
  { label: 'NDJSON, for apps', type: 'application/x-ndjson', ending: 'ndjson' },
  { label: 'GeoJSON, for maps', type: 'application/geo+json', ending: 'geojson' },
];

/** Chunks of this total size are merged into a blob, which the browser can move to disk. */
const FOLD_BYTES = 4_000_000;
/** How often the page updates the size. */
const PROGRESS_MS = 200;

/** Exports all listings that match the filters. */
export function ExportMenu({ search }: { search: ListingSearch }) {
  const [bytes, setBytes] = useState<number>();

  const download = async ({ type, ending }: (typeof FORMATS)[number]) => {
    setBytes(0);
    try {
      const { cursor: _, limit: __, ...query } = search;
      const response = await send('GET', '/admin/listings', { query, headers: { Accept: type } });
      const blob = await readBlob(response, type, setBytes);
      saveFile(blob, `listings-${new Date().toISOString().slice(0, 10)}.${ending}`);
    } catch (error) {
      notifyFailure('The export failed', error);
    } finally {
      setBytes(undefined);
    }
  };

  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} width={220}>
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={16} />} disabled={bytes !== undefined}>
          {bytes === undefined ? 'Export' : formatBytes(bytes)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map((format) => (
          <Menu.Item key={format.type} onClick={() => download(format)}>
            {format.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
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
