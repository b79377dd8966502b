import { test } from 'node:test';
import { createTenantByCommand } from '../../../testkit/src/process.ts';
import { directoryFor, exitOf, serveFor } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';
import { assertOrdered, startReceiver } from '../support/receiver.ts';

test('after kill -9 and restarts, every event has arrived, in order for each listing', async (t) => {
  const directory = await directoryFor(t);
  const settings = { DATA_DIR: directory, RATE_LIMIT: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' };
  const { key } = await createTenantByCommand(settings);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const send = async (url: string, method: string, path: string, body: object) =>
    Object(await (await fetch(`${url}/v1${path}`, { method, headers, body: JSON.stringify(body) })).json());
  const receiver = await startReceiver(t);
  receiver.respond = (_, response) => void setTimeout(() => response.writeHead(200).end(), 20);

  let events = 0;
  for (const isLast of [false, false, true]) {
    const { url, child } = await serveFor(t, settings);
    if (events === 0) await send(url, 'POST', '/webhooks', { url: receiver.url });
    const before = receiver.requests.length;
    for (let count = 0; count < 30; count += 1) {
      const { id } = await send(url, 'POST', '/listings', { address: '12 Elm Street', beds: 3, baths: 2 });
      await send(url, 'PATCH', `/listings/${id}`, { beds: 4 });
      events += 2;
    }
    const isComplete = () => new Set(receiver.sequences).size === events;
    await until('events arrive', isLast ? isComplete : () => receiver.requests.length > before, 60_000);
    child.kill('SIGKILL');
    await exitOf(child);
  }
  assertOrdered(receiver);
});
