// Writes the documents in openapi/; with --check, only checks that the committed ones are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { readRelease } from '../src/environment.ts';
import { ADMIN, V1 } from '../src/http/map.ts';
import { openApiDocument } from '../src/http/openapi/document.ts';

const DOCUMENTS = { 'openapi.json': V1, 'admin.json': ADMIN };

for (const [name, api] of Object.entries(DOCUMENTS)) {
  const file = new URL(`../../openapi/${name}`, import.meta.url);
  const document = `${JSON.stringify(await openApiDocument(api, readRelease()), null, 2)}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, document);
  } else if (readFileSync(file, 'utf8') !== document) {
    console.error(`openapi/${name} is stale: run \`npm run fix\` and commit it.`);
    process.exitCode = 1;
  }
}
