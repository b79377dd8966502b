// Writes openapi/openapi.json; with --check it only says whether the committed one is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { readRelease } from '../src/config.ts';
import { openApiDocument } from '../src/http/openapi.ts';

const FILE = new URL('../../openapi/openapi.json', import.meta.url);
const document = `${JSON.stringify(openApiDocument(readRelease()), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, document);
} else if (readFileSync(FILE, 'utf8') !== document) {
  console.error('openapi/openapi.json is stale: run `npm run fix` and commit it.');
  process.exitCode = 1;
}
