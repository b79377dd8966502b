import type { Command } from '../command.ts';
import { addWebhooksListen } from './webhooks-listen.ts';
import { addWebhooksManage } from './webhooks-manage.ts';
import { addWebhooksTrigger } from './webhooks-trigger.ts';

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('receive webhooks on this machine, and manage endpoints')
    .helpCommand(false);
  webhooks.commandsGroup('On this machine:');
  addWebhooksListen(webhooks);
  addWebhooksTrigger(webhooks);
  webhooks.commandsGroup('Endpoints:');
  addWebhooksManage(webhooks);
}
