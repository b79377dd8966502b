// Receives webhooks with Bun. Run: WEBHOOK_SECRET=whsec_… bun bun.ts
import { verifyWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';

export default {
  port: Number(process.env.PORT ?? 3000),
  maxRequestBodySize: 2 * 1024 * 1024,
  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    try {
      const event = await verifyWebhook(await request.arrayBuffer(), request.headers, process.env.WEBHOOK_SECRET);
      console.log(event.type, event.id);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(null, { status: 400 });
      throw error;
    }
  },
};
