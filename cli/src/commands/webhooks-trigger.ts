import type { WebhookType } from '@property-listings/client/webhooks';
import { Argument } from 'commander';
import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { deliver, writeDelivery } from '../webhooks/deliver.ts';
import { checkSecret, deriveSecret, type ForwardOptions, parseUrl, withSecretOption } from '../webhooks/destination.ts';
import { createSample, SAMPLE_LISTING_ID, SAMPLE_TYPES } from '../webhooks/sample-event.ts';

const DEFAULT_URL = 'http://localhost:3000/hooks';

export function addWebhooksTrigger(webhooks: Command): void {
  const command = webhooks
    .command('trigger')
    .description('send a sample webhook to a program on this machine')
    .addArgument(new Argument('<type>', SAMPLE_TYPES.join(', ')).choices(SAMPLE_TYPES))
    .option('--forward-to <url>', `address of the program (default: ${DEFAULT_URL})`, parseUrl, DEFAULT_URL);
  withSecretOption(command)
    .option('--json', 'print one JSON object')
    .details(`
The sample is about a listing or endpoint that does not exist, and nothing is
changed. The sample is signed like the deliveries of "listings webhooks
listen". The exit code is 1 if the program does not respond with 2xx.

Example:
  $ listings webhooks trigger listing.updated --forward-to http://localhost:3000/hooks`)
    .action(async (type: WebhookType, options: ForwardOptions, command: Command) => {
      await checkSecret(options, command);
      const { secret } = options;
      if (secret !== undefined) return trigger(type, secret, options);
      await withClient({}, (_client, { apiKey }) => trigger(type, deriveSecret(apiKey), options));
    });
}

async function trigger(type: WebhookType, secret: string, { forwardTo: url, json }: ForwardOptions): Promise<void> {
  const { id, message } = createSample(type);
  const attempt = await deliver({ url, secret }, id, message);
  if (!attempt.isDelivered) process.exitCode = EXIT.failure;
  const listingId = type === 'webhook.test' ? '' : SAMPLE_LISTING_ID;
  await writeDelivery({ id, type, listingId, ...attempt, next: '' }, json);
}
