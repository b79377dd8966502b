import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Encoding } from '../protocol/compression.ts';

/** Beside the code in the package; in a clone where the dashboard's own workspace builds it. */
const PACKED = join(import.meta.dirname, '../../dashboard');
const DIRECTORY = existsSync(PACKED) ? PACKED : join(import.meta.dirname, '../../../../dashboard/dist');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const ENDINGS = { br: '.br', gzip: '.gz' };

interface Asset {
  type: string;
  content: Buffer;
  /** As it was packed when the dashboard was built. */
  packed: Partial<Record<Encoding, Buffer>>;
}

interface DashboardFiles {
  page: string;
  /** Name → file; each name has a hash of what is in it. */
  assets: Map<string, Asset>;
}

let files: DashboardFiles | undefined;

/**
 * The built dashboard, read when it is first asked for and then kept: a build that replaces it must not mix with the page
 * that is out already. Undefined when there is none.
 */
export function findDashboardFiles(): DashboardFiles | undefined {
  if (files === undefined && existsSync(join(DIRECTORY, 'index.html'))) files = readFiles();
  return files;
}

function readFiles(): DashboardFiles {
  const names = readdirSync(join(DIRECTORY, 'assets'));
  const served = names.filter((name) => extname(name) in TYPES);
  return {
    page: readFileSync(join(DIRECTORY, 'index.html'), 'utf8'),
    assets: new Map(served.map((name) => [name, readAsset(name, names)])),
  };
}

function readAsset(name: string, names: string[]): Asset {
  const read = (file: string) => readFileSync(join(DIRECTORY, 'assets', file));
  const packed: Asset['packed'] = {};
  for (const encoding of ['br', 'gzip'] as const) {
    const file = name + ENDINGS[encoding];
    if (names.includes(file)) packed[encoding] = read(file);
  }
  return { type: TYPES[extname(name)] ?? '', content: read(name), packed };
}
