import type { Command } from 'commander';
import { addWebhooksListen } from './webhooks-listen.ts';
import { addWebhooksTrigger } from './webhooks-trigger.ts';

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('receive webhooks on this machine').helpCommand(false);
  addWebhooksListen(webhooks);
  addWebhooksTrigger(webhooks);
}
