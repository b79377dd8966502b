// Receives webhooks with Deno. Run: WEBHOOK_SECRET=whsec_… deno serve --allow-env=WEBHOOK_SECRET deno.ts
import { verifyWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    try {
      const secret = Deno.env.get('WEBHOOK_SECRET');
      const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secret);
      console.log(event.type, event.id);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(null, { status: 400 });
      throw error;
    }
  },
};
