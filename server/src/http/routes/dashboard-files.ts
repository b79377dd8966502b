import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Encoding } from '../protocol/compression.ts';

/** In the package, the dashboard is next to the code; in a clone, it is in its own workspace. */
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
  /** Compressed by the build. */
  compressed: Partial<Record<Encoding, Buffer>>;
}

interface DashboardFiles {
  page: string;
  /** Files by name. Each name contains a hash of the file's content. */
  assets: Map<string, Asset>;
}

let files: DashboardFiles | undefined;

/** The built dashboard, if any. It is read only once, so open pages do not get files of a later build. */
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
  const compressed: Asset['compressed'] = {};
  for (const encoding of ['br', 'gzip'] as const) {
    const file = name + ENDINGS[encoding];
    if (names.includes(file)) compressed[encoding] = read(file);
  }
  return { type: TYPES[extname(name)] ?? '', content: read(name), compressed };
}
