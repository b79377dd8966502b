import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { verifyWebhook, type WebhookEvent } from '../../../client/src/webhooks.ts';
import { defer } from '../../../testkit/src/cleanup.ts';

interface Received {
  event: WebhookEvent;
  body: string;
}

/** Starts a program that receives webhooks, verifies them, and responds with the status that `decide` returns. */
export async function receiverFor(
  t: TestContext,
  secret: () => string,
  decide: (event: WebhookEvent, count: number) => number | Promise<number> = () => 204,
  port = 0,
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const event = await verifyWebhook(body, request.headers, secret()).catch((error: Error) => error);
    const isEvent = !(event instanceof Error) && received.push({ event, body }) > 0;
    response.writeHead(isEvent ? await decide(event, received.length) : 400).end();
  }).listen(port, '127.0.0.1');
  defer(t, () => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${Object(server.address()).port}/hooks`, received };
}
