import { setTimeout as sleep } from 'node:timers/promises';
import type { ListingEvent, Position, PropertyListings } from '@property-listings/client';
import { parseSequence } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { quote } from '../curl.ts';
import { withTypeOption } from '../event-types.ts';
import { note } from '../output/standard-output.ts';
import { type Attempt, type Delivery, type Destination, deliver, writeDelivery } from '../webhooks/deliver.ts';
import { DeliveryQueue } from '../webhooks/delivery-queue.ts';
import { checkSecret, deriveSecret, type ForwardOptions, parseUrl, withSecretOption } from '../webhooks/destination.ts';
import { findStart, toFlags, WAIT_SECONDS } from './events.ts';

interface ListenOptions extends CurlOptions, ForwardOptions, Partial<Position> {
  type?: ListingEvent['type'][];
  retries: number;
}

type FollowedEvent = ListingEvent & { epoch: string };

/** The delay doubles with each further retry. */
const FIRST_DELAY_SECONDS = 1;

export function addWebhooksListen(webhooks: Command): void {
  const command = webhooks
    .command('listen')
    .description('deliver changes to a program on this machine, signed like webhooks')
    .requiredOption('--forward-to <url>', 'address of the program, such as http://localhost:3000/hooks', parseUrl);
  withCurlOption(withSecretOption(withTypeOption(command)))
    .option('--after <sequence>', 'start after this sequence instead of now', parseSequence)
    .option('--epoch <epoch>', 'fail if the database no longer has this epoch')
    .option('--retries <count>', 'how many times to retry a failed delivery (default: 3)', parseSequence, 3)
    .option('--json', 'print one JSON object per attempt')
    .details(`
The program needs no public address: this command follows the changes and sends
them. The signing secret stays the same as long as you use the same API key.
Each line shows the time, the type, the listing, the status, and the duration,
and whether a failed delivery is retried.

Examples:
  $ listings webhooks listen --forward-to http://localhost:3000/hooks
  $ listings webhooks listen --forward-to http://localhost:3000/hooks --after 1042`)
    .action(async (options: ListenOptions, command: Command) => {
      await checkSecret(options, command);
      await withClient(options, (client, { apiKey }) =>
        listen(client, { url: options.forwardTo, secret: options.secret ?? deriveSecret(apiKey) }, options),
      );
    });
}

async function listen(client: PropertyListings, destination: Destination, options: ListenOptions): Promise<void> {
  const { after, curl, type } = options;
  // Print a long poll, which is the request that this command repeats.
  if (curl) await client.events.list({ after: after ?? 0, epoch: options.epoch, wait: WAIT_SECONDS });
  const start = await findStart(client, options);
  const { account } = await client.me();
  let { epoch } = start;
  const queue = new DeliveryQueue<FollowedEvent>(start.after, (event) =>
    deliverEvent(destination, event, account.id, options),
  );
  note(`Signing secret: ${destination.secret}`);
  note(`Delivering changes after sequence ${start.after} to ${destination.url}. Press Ctrl-C to stop.`);
  process.once('exit', () => note(`\nTo resume: ${toResume(options, { after: queue.settled, epoch })}`));
  for await (const event of client.events.follow(start)) {
    epoch = event.epoch;
    if (type === undefined || type.includes(event.type)) await queue.add(event);
    else queue.skip(event);
  }
}

async function deliverEvent(
  destination: Destination,
  { epoch, ...event }: FollowedEvent,
  accountId: string,
  { retries, json }: ListenOptions,
): Promise<void> {
  const { type, listingId, sequence, createdAt: timestamp } = event;
  // As with the service's deliveries, the ID is the same in each attempt and after the command is resumed.
  const id = `msg_${epoch}_${sequence}`;
  for (let retry = 0; ; retry += 1) {
    const attempt = await deliver(destination, id, { type, timestamp, data: event, accountId, epoch });
    const isLast = attempt.isDelivered || retry >= retries;
    const delaySeconds = FIRST_DELAY_SECONDS * 2 ** retry;
    await writeDelivery({ id, type, listingId, ...attempt, next: describeNext(attempt, isLast, delaySeconds) }, json);
    if (isLast) return;
    await sleep(delaySeconds * 1000);
  }
}

function describeNext({ isDelivered }: Attempt, isLast: boolean, delaySeconds: number): Delivery['next'] {
  if (isDelivered) return '';
  return isLast ? 'gave up' : `retry in ${delaySeconds} s`;
}

function toResume({ forwardTo, secret, type }: ListenOptions, position: Position): string {
  const values = { 'forward-to': quote(forwardTo), secret: secret && quote(secret), type, ...position };
  return `listings webhooks listen${toFlags(values)}`;
}
