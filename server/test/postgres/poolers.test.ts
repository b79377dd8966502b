import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { runCommand } from '../../../testkit/src/process.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';

/** Rejects session settings like PgBouncer. */
async function strictPoolerFor(t: TestContext): Promise<string> {
  const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', ''];
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  const pooler = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([head, body])));
  });
  pooler.listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  defer(t, () => pooler.close());
  return `postgres://listings:secret-word@127.0.0.1:${Object(pooler.address()).port}/listings`;
}

for (const WORKERS of ['', '2']) {
  const how = WORKERS === '' ? 'one process' : 'workers';
  test(`a service of ${how} behind a pooler that rejects settings exits, and names the variable to change`, async (t) => {
    const DATABASE_URL = await strictPoolerFor(t);
    const { code, stdout, stderr } = await runCommand(['serve'], {
      DATABASE_URL,
      WORKERS,
      DATA_DIR: await directoryFor(t),
    });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^error: Cannot open the database .*: unsupported startup parameter: statement_timeout\. .*\n$/,
    );
    assert.match(stderr, /The server is behind a pooler; set DATABASE_PREPARED_STATEMENTS=off\.$/m);
    assert.ok(!stderr.includes('secret-word'));
  });
}
