import type { ListingEvent } from '@property-listings/client';
import { type Webhook, WebhookEndpoints } from '@property-listings/client/webhook-endpoints';
import { InvalidArgumentError } from 'commander';
import { parseCount, parseSequence, toGiven } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { withTypeOption } from '../event-types.ts';
import { EXIT } from '../exit-codes.ts';
import { type OutputOptions, withOutputOptions, writeRecord } from '../output/record.ts';
import { writeRows } from '../output/rows.ts';
import { note } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { toPatch } from '../patch.ts';
import { confirm, isInteractive } from '../questions.ts';
import { addWebhooksListen } from './webhooks-listen.ts';
import { addWebhooksTrigger } from './webhooks-trigger.ts';

interface EndpointOptions extends OutputOptions {
  url?: string;
  type?: ListingEvent['type'][];
  feed?: string;
  description?: string;
  enabled?: boolean;
}

const ENDPOINT_COLUMNS = ['id', 'url', 'types', 'enabled', 'pending', 'failingSince'];
const DELIVERY_COLUMNS = ['id', 'state', 'type', 'listingId', 'attempts', 'status', 'durationMs'];
const STATES = ['pending', 'delivered', 'failed', 'expired'] as const;
const ENDPOINT_ID = 'ID of the endpoint (whk_…)';
const SECRET_NOTE = 'Store the secret now: it will not be shown again.';

export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('receive webhooks on this machine, and manage endpoints')
    .helpCommand(false);
  webhooks.commandsGroup('On this machine:');
  addWebhooksListen(webhooks);
  addWebhooksTrigger(webhooks);
  webhooks.commandsGroup('Endpoints:');
  addList(webhooks);
  addCreate(webhooks);
  addForOne(webhooks, 'get', 'show an endpoint', (endpoints, id) => endpoints.retrieve(id));
  addUpdate(webhooks);
  addDelete(webhooks);
  const rollSecret = 'replace the secret; the old one stays valid for 24 hours';
  addForOne(webhooks, 'roll-secret', rollSecret, async (endpoints, id) => {
    const rolled = await endpoints.rollSecret(id);
    note(SECRET_NOTE);
    return rolled;
  });
  addForOne(webhooks, 'test', 'send a sample to an endpoint and show its response', async (endpoints, id) => {
    const result = await endpoints.test(id);
    if (!result.delivered) process.exitCode = EXIT.failure;
    return result;
  });
  addForOne(
    webhooks,
    'replay',
    'send all events after a sequence again',
    (endpoints, id, { after }: { after: number }) => endpoints.replay(id, { after }),
  ).requiredOption('--after <sequence>', 'sequence of the last event that is not sent again', parseSequence);
  addDeliveries(webhooks);
  addForOne(webhooks, 'redeliver', 'send the event of one delivery again', (endpoints, id, deliveryId: string) =>
    endpoints.redeliver(id, deliveryId),
  ).argument('<delivery>', 'ID of the delivery (msg_…)');
}

/** Adds a command that performs `work` on one endpoint, passes it the other arguments, and shows the result. */
function addForOne<Given extends unknown[]>(
  webhooks: Command,
  name: string,
  description: string,
  work: (endpoints: WebhookEndpoints, id: string, ...given: Given) => Promise<object>,
): Command {
  const command = webhooks.command(name).description(description).argument('<id>', ENDPOINT_ID);
  return withOutputOptions(command).action((id: string, ...given: Given) => {
    const options = command.opts<OutputOptions>();
    return withEndpoints(options, async (endpoints) => writeRecord(await work(endpoints, id, ...given), options));
  });
}

function withEndpoints(options: CurlOptions, work: (endpoints: WebhookEndpoints) => Promise<void>): Promise<void> {
  return withClient(options, (_client, service) => work(new WebhookEndpoints(service)));
}

function addList(webhooks: Command): void {
  const command = webhooks.command('list').description('show all endpoints');
  withOutputOptions(command).action((options: OutputOptions) =>
    withEndpoints(options, async (endpoints) => {
      const { data } = await endpoints.list();
      const toRow = (webhook: Webhook) => ({ ...webhook, types: webhook.types?.join(',') ?? 'all' });
      await writeRows(data, ENDPOINT_COLUMNS, options, toRow);
    }),
  );
}

function withEndpointOptions(command: Command): Command {
  return withOutputOptions(withTypeOption(command))
    .option('--feed <name>', "only events for this feed's listings")
    .option('--description <text>', 'what the endpoint is for')
    .option('--enabled <boolean>', 'whether events are sent: true, false', parseBoolean);
}

function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

function toInput({ url, type: types, feed, description, enabled }: EndpointOptions) {
  return toGiven({ url, types, feed, description, enabled });
}

function addCreate(webhooks: Command): void {
  const command = webhooks.command('create').description('create an endpoint and show its secret, once');
  withEndpointOptions(command.requiredOption('--url <url>', 'address that receives the events (https)'))
    .details(`
Example:
  $ listings webhooks create --url https://example.com/webhooks --type listing.deleted`)
    .action((options: EndpointOptions & { url: string }) =>
      withEndpoints(options, async (endpoints) => {
        const created = await endpoints.create({ url: options.url, ...toInput(options) });
        await writeRecord(created, options);
        note(SECRET_NOTE);
      }),
    );
}

function addUpdate(webhooks: Command): void {
  const command = webhooks.command('update').description('change an endpoint').argument('<id>', ENDPOINT_ID);
  withEndpointOptions(command.option('--url <url>', 'address that receives the events (https)')).action(
    (id: string, options: EndpointOptions, self: Command) => {
      const patch = toPatch(toInput(options), [], '--enabled true', self);
      return withEndpoints(options, async (endpoints) => writeRecord(await endpoints.update(id, patch), options));
    },
  );
}

function addDelete(webhooks: Command): void {
  const command = webhooks.command('delete').description('delete an endpoint').argument('<id>', ENDPOINT_ID);
  withCurlOption(command)
    .option('--yes', 'skip the confirmation prompt, which appears only in a terminal')
    .action((id: string, options: CurlOptions & { yes?: true }) =>
      withEndpoints(options, async (endpoints) => {
        if (!options.yes && !options.curl && isInteractive()) {
          const { url } = await endpoints.retrieve(id);
          await confirm(`Delete the endpoint "${toLine(url)}" and its deliveries?`, 'Nothing was deleted.');
        }
        await endpoints.delete(id);
        note(`Deleted ${toLine(id)}.`);
      }),
    );
}

function addDeliveries(webhooks: Command): void {
  const deliveries = webhooks.command('deliveries').description('show the latest deliveries of an endpoint');
  withOutputOptions(deliveries.argument('<id>', ENDPOINT_ID))
    .choice('--state <state>', `only deliveries in this state: ${STATES.join(', ')}`, STATES)
    .option('--limit <count>', 'maximum number of deliveries, up to 200 (default: 50)', parseCount)
    .action((id: string, options: OutputOptions & { state?: (typeof STATES)[number]; limit?: number }) =>
      withEndpoints(options, async (endpoints) => {
        const { limit, state } = options;
        const { data } = await endpoints.deliveries(id, toGiven({ limit, state: state && [state] }));
        await writeRows(data, DELIVERY_COLUMNS, options);
      }),
    );
}
