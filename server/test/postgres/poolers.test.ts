import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { defer } from '../../../testkit/src/cleanup.ts';
import { runCommand } from '../../../testkit/src/process.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { Pool } from '../../src/storage/postgres/pool.ts';
import { readWith } from '../../src/storage/postgres/reads.ts';
import { databaseFor } from './support.ts';

/** Like PgBouncer, rejects session settings. */
async function strictPoolerFor(t: TestContext): Promise<string> {
  const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: options', ''];
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
    assert.match(stderr, /^error: Cannot open the database .*: unsupported startup parameter: options\. .*\n$/);
    assert.match(stderr, /Set DATABASE_PREPARED_STATEMENTS=off because the server is behind a pooler\.$/m);
    assert.ok(!stderr.includes('secret-word'));
  });
}

for (const preparesStatements of [true, false]) {
  const how = preparesStatements ? 'of the session' : 'of each transaction';
  test(`settings ${how} limit statements, turn JIT off, and do not override those of the URL`, async (t) => {
    const url = new URL((await databaseFor(t)).url);
    url.searchParams.set('options', '-c work_mem=5MB');
    const pool = new Pool(url.href, { poolSize: 1, statementTimeoutMs: 2_500, preparesStatements });
    defer(t, () => pool.close());
    const names = ['jit', 'statement_timeout', 'work_mem'];
    const text = `select ${names.map((name) => `current_setting('${name}')`).join()}`;
    const { rows } = await pool.use((client) => readWith(client, pool.beginLimits, { text }));
    assert.deepEqual(rows, [['off', '2500ms', '5MB']]);
  });
}
