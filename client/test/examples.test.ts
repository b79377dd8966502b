import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { defer } from '../../testkit/src/cleanup.ts';
import '../../testkit/src/client-source.ts';
import { findFreePort, isRefused } from '../../testkit/src/ports.ts';
import { bareEnvironment } from '../../testkit/src/process.ts';
import { spawnFor } from '../../testkit/src/serving.ts';
import { until } from '../../testkit/src/until.ts';
import { signWebhook } from '../src/webhooks.ts';

const EXAMPLES = join(import.meta.dirname, '../examples');
const WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({ type: 'listing.deleted', timestamp: '', data: {}, accountId: '', epoch: '' });

/** A running example: `send` sends it a request, and `output` returns what it has logged. */
interface Receiver {
  send(request: Request): Promise<Response>;
  output(): string;
}

async function receive(t: TestContext, file: string): Promise<Receiver> {
  return ['node.ts', 'express.ts'].includes(file) ? startServer(t, file) : loadHandler(t, file);
}

async function startServer(t: TestContext, file: string): Promise<Receiver> {
  const port = await findFreePort();
  const args = ['--conditions=@property-listings/source', join(EXAMPLES, file)];
  const { output } = spawnFor(t, process.execPath, args, bareEnvironment({ WEBHOOK_SECRET, PORT: String(port) }));
  await until('the example listens', async () => !(await isRefused(port)));
  return {
    send: async ({ method, headers, body }) =>
      fetch(`http://127.0.0.1:${port}/hooks`, { method, headers, body, duplex: 'half' }),
    output: () => output.stdout,
  };
}

/** The platforms other than Node.js take the default export, an object with `fetch`. */
async function loadHandler(t: TestContext, file: string): Promise<Receiver> {
  const lines: string[] = [];
  const log = t.mock.method(console, 'log', (...words: string[]) => lines.push(words.join(' ')));
  Object.assign(globalThis, { Deno: { env: { get: (name: string) => process.env[name] } } });
  process.env.WEBHOOK_SECRET = WEBHOOK_SECRET;
  defer(t, () => {
    log.mock.restore();
    Reflect.deleteProperty(globalThis, 'Deno');
    delete process.env.WEBHOOK_SECRET;
  });
  const { default: handler } = await import(join(EXAMPLES, file));
  return {
    send: async (request) => handler.fetch(request, { WEBHOOK_SECRET }),
    output: () => lines.join('\n'),
  };
}

async function signedRequest(body = BODY, secret = WEBHOOK_SECRET): Promise<Request> {
  const headers = await signWebhook(body, secret, { id: 'msg_1' });
  return toRequest(body, headers);
}

function toRequest(body: string, headers: Record<string, string>): Request {
  return new Request('http://localhost/hooks', {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

const files = readdirSync(EXAMPLES).filter((file) => !file.endsWith('.d.ts'));

test('there is an example for each platform', () => {
  assert.deepEqual(files, ['bun.ts', 'deno.ts', 'express.ts', 'hono.ts', 'node.ts', 'workers.ts']);
});

for (const file of files) {
  describe(`the example ${file}`, () => {
    test('accepts a signed webhook and rejects all others', async (t) => {
      const { send, output } = await receive(t, file);
      assert.equal((await send(await signedRequest())).status, 204);
      await until('the event is logged', () => output().includes('listing.deleted msg_1'));

      const { headers } = await signedRequest();
      const others = [
        toRequest(`${BODY} `, Object.fromEntries(headers)),
        toRequest(BODY, {}),
        await signedRequest(BODY, `whsec_${randomBytes(32).toString('base64')}`),
      ];
      for (const request of others) assert.equal((await send(request)).status, 400);
      assert.equal(output().match(/msg_1/g)?.length, 1);
      const get = await send(new Request('http://localhost/hooks'));
      assert.ok([404, 405].includes(get.status), String(get.status));
    });
  });
}

for (const file of ['node.ts', 'express.ts', 'hono.ts']) {
  test(`the example ${file} rejects a body of 3 MiB without reading it all into memory`, async (t) => {
    const { send } = await receive(t, file);
    const { status } = await send(await signedRequest(`"${'x'.repeat(3 * 1024 * 1024)}"`));
    assert.equal(status, 413);
  });
}
