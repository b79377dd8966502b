import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { plant } from '../../testkit/src/listings.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { directoryFor } from '../../testkit/src/serving.ts';
import { bundleClient } from './support/bundle.ts';

/** One million in `npm run test:million`. */
const COUNT = Number(process.env.ITERATED_LISTINGS ?? 30_000);
const MEGABYTE = 1_000_000;
/** Limits the heap plus buffers, and also the process's growth, of which Node.js and `fetch` account for 60 MB. */
const MEMORY_BYTES_MAX = 80 * MEGABYTE;
const DESCRIPTION_LENGTH = 200;

/** Runs the client in its own process, so that the service's memory does not count. Never forces a GC. */
const PROGRAM = `
  import { PropertyListings } from './client.mjs';
  const client = new PropertyListings();
  await client.me();
  const startBytes = process.memoryUsage().rss;
  let [count, beds, heldBytes] = [0, 0, 0];
  for await (const listing of client.listings.list()) {
    count += 1;
    beds += listing.beds;
    if (count % 500 !== 0) continue;
    const { heapTotal, external } = process.memoryUsage();
    heldBytes = Math.max(heldBytes, heapTotal + external);
  }
  const grownBytes = process.resourceUsage().maxRSS * 1024 - startBytes;
  console.log(JSON.stringify({ count, beds, heldBytes, grownBytes }));
`;

test(`${COUNT} listings are streamed in at most 80 MB`, async (t) => {
  await using service = await startTestService({ engine: 'sqlite' });
  const tenant = await service.createTenant();
  await plant(service, tenant, COUNT, DESCRIPTION_LENGTH);
  const directory = await directoryFor(t);
  await writeFile(join(directory, 'client.mjs'), await bundleClient('index.ts'));
  await writeFile(join(directory, 'program.mjs'), PROGRAM);
  const env = {
    PATH: process.env.PATH,
    PROPERTY_LISTINGS_API_KEY: tenant.key,
    PROPERTY_LISTINGS_BASE_URL: `${service.url}/v1`,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [join(directory, 'program.mjs')], { env });
  const { count, beds, heldBytes, grownBytes } = JSON.parse(stdout);
  t.diagnostic(`held ${heldBytes / MEGABYTE} MB, grown by ${grownBytes / MEGABYTE} MB`);
  assert.deepEqual([count, beds], [COUNT, (COUNT * (COUNT + 1)) / 2]);
  assert.ok(heldBytes <= MEMORY_BYTES_MAX, `the client held ${heldBytes / MEGABYTE} MB`);
  assert.ok(grownBytes <= MEMORY_BYTES_MAX, `the process grew by ${grownBytes / MEGABYTE} MB`);
});
