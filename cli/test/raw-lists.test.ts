import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generateSecret } from '../../server/src/model/api-keys.ts';
import { listings, shell, standInFor } from './support/cli.ts';
import '../../testkit/src/client-source.ts';

const { readRaw } = await import('../src/raw-lists.ts');

const MINUTES_MS = 10 * 60_000;

/** A list of these pieces that ends only when its request is aborted. */
function listOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  const fetch = async (_url: string, { signal }: RequestInit) => {
    const start = (controller: ReadableStreamDefaultController) => {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece));
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    };
    return new Response(new ReadableStream({ start }), { headers: { 'Content-Type': 'text/csv' } });
  };
  return readRaw({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: generateSecret(), fetch }, 'text/csv', {});
}

describe('a raw list', () => {
  test('does not time out while its reader pauses, as in a pager', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const pieces = listOf('id\n', 'lst_1\n');
    assert.equal(Buffer.from((await pieces.next()).value ?? []).toString(), 'id\n');
    t.mock.timers.tick(MINUTES_MS);
    assert.equal(Buffer.from((await pieces.next()).value ?? []).toString(), 'lst_1\n');
  });

  test('times out if the service sends nothing', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const pieces = listOf('id\n');
    await pieces.next();
    const next = pieces.next();
    t.mock.timers.tick(MINUTES_MS);
    await assert.rejects(next, { code: 'timeout' });
  });

  test('is requested again after a transient error', async (t) => {
    let attempts = 0;
    const settings = await standInFor(t, ({ headers }, response) => {
      attempts += 1;
      if (attempts === 1) response.writeHead(503, { 'Retry-After': '0' }).end();
      else response.writeHead(200, { 'Content-Type': headers.accept }).end('id\n');
    });
    const { code, stdout } = await listings(['list', '--csv'], settings);
    assert.deepEqual([code, stdout, attempts], [0, 'id\n', 2]);
  });

  test('fails at once if the response is not from the service, even if it never ends', {
    timeout: 30_000,
  }, async (t) => {
    const settings = await standInFor(t, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).write('<h1>');
    });
    const { code, stderr } = await listings(['list', '--csv'], settings);
    assert.equal(code, 1);
    assert.match(stderr, /did not come from the service/);
  });
});

test('no control character in a response reaches the terminal', async (t) => {
  const address = '\u001b[2J\u009b2JElm';
  const settings = await standInFor(t, ({ headers, url }, response) => {
    if (url?.includes('/events')) {
      const error = { code: `no${address}`, message: address, requestId: address };
      response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    response.writeHead(200, { 'Content-Type': headers.accept });
    const ndjson = `${JSON.stringify({ id: 'lst_1', address })}\n{"end":true,"count":1}\n`;
    response.end(headers.accept === 'text/csv' ? `id,address\nlst_1,${address}\n` : ndjson);
  });
  for (const command of ['list', 'list --json', 'list --csv', 'export --format csv', 'events']) {
    const { output, closed } = shell(t, `NO_COLOR=1 listings ${command}`, settings, 80);
    await closed;
    assert.match(output.stdout, /Elm/, command);
    assert.ok(!/[^\P{Cc}\r\n]/u.test(output.stdout), `${command}: ${JSON.stringify(output.stdout)}`);
  }
  assert.ok((await listings(['list', '--csv'], settings)).stdout.includes(address));
  assert.equal(JSON.parse((await listings(['list', '--json'], settings)).stdout)[0].address, address);
});
