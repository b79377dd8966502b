// Receives webhooks with Hono, on any of its platforms.
import { verifyWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';
import { Hono } from 'hono';
import { env } from 'hono/adapter';
import { bodyLimit } from 'hono/body-limit';

const app = new Hono();

const limit = bodyLimit({ maxSize: 2 * 1024 * 1024, onError: (context) => context.body(null, 413) });

app.post('/hooks', limit, async (context) => {
  const { WEBHOOK_SECRET } = env<{ WEBHOOK_SECRET?: string }>(context);
  const event = await verifyWebhook(await context.req.arrayBuffer(), context.req.raw.headers, WEBHOOK_SECRET);
  console.log(event.type, event.id);
  return context.body(null, 204);
});

app.onError((error, context) => {
  if (error instanceof WebhookVerificationError) return context.body(null, 400);
  console.error(error);
  return context.body(null, 500);
});

export default app;
