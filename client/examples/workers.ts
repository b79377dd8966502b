// Receives webhooks in a Cloudflare Worker. Store the secret: npx wrangler secret put WEBHOOK_SECRET
import { verifyWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';

export default {
  async fetch(request: Request, { WEBHOOK_SECRET }: { WEBHOOK_SECRET: string }): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    try {
      const event = await verifyWebhook(await request.arrayBuffer(), request.headers, WEBHOOK_SECRET);
      console.log(event.type, event.id);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(null, { status: 400 });
      throw error;
    }
  },
};
