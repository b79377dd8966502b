// Receives webhooks with node:http. Run: WEBHOOK_SECRET=whsec_… node node.ts
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';

/** More than the largest event. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

const server = createServer(async (request, response) => {
  const status = await receive(request).catch((error) => {
    if (error instanceof WebhookVerificationError) return 400;
    console.error(error);
    return 500;
  });
  response.writeHead(status).end();
});

async function receive(request: IncomingMessage): Promise<ServerResponse['statusCode']> {
  if (request.method !== 'POST' || request.url !== '/hooks') return 404;
  const body = await readBody(request);
  if (body === undefined) return 413;
  const event = await verifyWebhook(body, request.headers, process.env.WEBHOOK_SECRET);
  console.log(event.type, event.id);
  return 204;
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

server.listen(Number(process.env.PORT ?? 3000));
