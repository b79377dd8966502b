// Receives webhooks with Express. Run: WEBHOOK_SECRET=whsec_… node express.ts
import { verifyWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';
import express, { type NextFunction, type Request, type Response } from 'express';

const app = express();

// Before `express.json()`, which would parse the body: the signature covers the exact bytes.
app.post('/hooks', express.raw({ type: 'application/json', limit: '2mb' }), async (request, response) => {
  const event = await verifyWebhook(request.body, request.headers, process.env.WEBHOOK_SECRET);
  console.log(event.type, event.id);
  response.sendStatus(204);
});

app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (error instanceof WebhookVerificationError) response.sendStatus(400);
  else next(error);
});

app.listen(Number(process.env.PORT ?? 3000));
