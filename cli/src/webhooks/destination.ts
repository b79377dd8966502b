import { createHmac } from 'node:crypto';
import { signWebhook, WebhookVerificationError } from '@property-listings/client/webhooks';
import { InvalidArgumentError } from 'commander';
import type { Command } from '../command.ts';

export interface ForwardOptions {
  forwardTo: string;
  secret?: string;
  json?: true;
}

export function withSecretOption(command: Command): Command {
  return command.option(
    '--secret <secret>',
    'sign with this secret (whsec_…) instead of the one derived from your API key',
  );
}

export function parseUrl(text: string): string {
  const { protocol = '', username = '', password = '' } = URL.canParse(text) ? new URL(text) : {};
  if (/^https?:$/.test(protocol) && username === '' && password === '') return text;
  throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/hooks, without a user or password.');
}

/** Checks the secret, if one is given. The error message does not contain it. */
export async function checkSecret({ secret }: ForwardOptions, command: Command): Promise<void> {
  if (secret === undefined) return;
  try {
    await signWebhook('', secret, { id: 'check' });
  } catch (error) {
    if (error instanceof WebhookVerificationError) command.usageError(`--secret: ${error.message}`);
    throw error;
  }
}

/** The secret is the same for each run, so that the receiver's settings stay valid, and does not reveal the key. */
export function deriveSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('listings webhooks').digest('base64')}`;
}
