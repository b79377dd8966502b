import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { send } from '../../api/client';
import { formatBytes } from '../../lib/format';
import { saveFile } from '../../lib/save-file';
import type { ListingSearch } from './search';

const FORMATS = [
  { label: 'CSV, for spreadsheets', type: 'text/csv', ending: 'csv' },
  { label: 'NDJSON, for programs', type: 'application/x-ndjson', ending: 'ndjson' },
  { label: 'GeoJSON, for maps', type: 'application/geo+json', ending: 'geojson' },
];

/** All listings that the page's filters leave, as a file. */
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
      const message = error instanceof Error ? error.message : String(error);
      notifications.show({ color: 'red', title: 'The export did not finish', message });
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

/** @throws when the reply was cut: half a list must not look like a whole one */
async function readBlob(response: Response, type: string, onProgress: (bytes: number) => void): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) {
    chunks.push(step.value);
    bytes += step.value.length;
    onProgress(bytes);
  }
  return new Blob(chunks, { type });
}
