import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../../lib/log.ts';
import type { Mailer } from '../../../lib/mailer.ts';
import { createGauge } from '../../../lib/metrics.ts';
import { AppError } from '../../../model/errors.ts';
import { getDatabaseInfo } from '../../../storage/database-info.ts';
import { FairSemaphore } from '../../../storage/fair-semaphore.ts';
import { claimWebhook, findEnabledWebhooks } from '../../../storage/webhooks.ts';
import { accountWrites } from '../../writing/event-hub.ts';
import { mailDisabledWebhook } from '../webhook-mail.ts';
import type { WebhookServices } from '../webhooks.ts';
import type { EndReason } from './delivery-results.ts';
import { EndpointSender } from './endpoint-sender.ts';
import { EventPages } from './event-pages.ts';
import { Leases } from './leases.ts';
import { LOCKED_SECRET, openSecrets } from './message.ts';
import { Pace } from './pace.ts';
import { Slots } from './slots.ts';

/** How often leases are renewed and all endpoints are checked. */
const TICK_MS = 3_000;
/** The minimum time between two checks of all endpoints, since clients cause such checks by changing endpoints. */
const TICK_GAP_MS = 250;
/** How often to check for other processes' writes. */
const POLL_MS = 250;
/** How often to check for positions to store, and for retries whose timers are wrong because the clock was changed. */
const CHECK_MS = 1_000;
const PAGE_LENGTH = 500;
const STARTING_MAX = 4;

/** Maximum numbers of large messages (of up to 1 MiB) in flight, per process and per account. */
const LARGE_MAX = 32;
const LARGE_PER_ACCOUNT_MAX = 4;

const failingEndpoints = createGauge({
  name: 'property_listings_webhook_endpoints_failing',
  help: 'Webhook endpoints whose last three attempts failed.',
});

type Row = Awaited<ReturnType<typeof findEnabledWebhooks>>[number];

/** Sends webhooks. It finds the endpoints of this process that have something to send, and runs a sender for each. */
export class Dispatcher {
  readonly #services: WebhookServices & { log: Log; mailer: Mailer | undefined; publicUrl: string | undefined };
  readonly #leases: Leases;
  readonly #slots = new Slots();
  readonly #pace = new Pace();
  readonly #pages: EventPages;
  readonly #held = { bytes: 0 };
  readonly #large = new FairSemaphore(LARGE_MAX, LARGE_PER_ACCOUNT_MAX);
  readonly #starting = new FairSemaphore(STARTING_MAX);
  readonly #senders = new Map<string, EndpointSender | 'starting'>();
  /** The ids of this process's enabled endpoints, by account. */
  #known = new Map<string, Set<string>>();
  #epoch = '';
  /** The revisions of endpoints whose secrets cannot be decrypted. */
  readonly #locked = new Map<string, number>();
  #unwatch = () => {};
  #timers: NodeJS.Timeout[] = [];
  #ticking: Promise<void> | undefined;
  #mustTick = false;
  #tickedMs = Number.NEGATIVE_INFINITY;
  #isPolling = false;
  #isStopped = true;

  constructor(services: WebhookServices & { log: Log; mailer: Mailer | undefined; publicUrl: string | undefined }) {
    this.#services = services;
    this.#leases = new Leases(services.database);
    this.#pages = new EventPages(services.database);
  }

  /** Nothing is sent before this is called. */
  start(): void {
    this.#isStopped = false;
    accountWrites.on('written', this.#onWritten);
    this.#unwatch = failingEndpoints.watch(() => [[{}, this.#countFailing()]]);
    this.#timers = [
      setInterval(() => this.refresh(), TICK_MS),
      setInterval(() => this.#tickIfNeeded(), TICK_GAP_MS),
      setInterval(() => void this.#poll(), POLL_MS),
      setInterval(() => this.#wakeDue(), CHECK_MS),
    ];
    this.refresh();
  }

  /** Checks all endpoints soon, for example after one has changed. */
  refresh(): void {
    this.#mustTick = true;
    this.#tickIfNeeded();
  }

  /** Stores all results and gives up the leases. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    accountWrites.off('written', this.#onWritten);
    this.#unwatch();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#ticking;
    await Promise.all(this.#senders.keys().map((id) => this.#stopSender(id)));
    if (!this.#leases.isEmpty) await this.#leases.release().catch(() => {});
  }

  #tickIfNeeded(): void {
    if (!this.#mustTick || this.#isStopped || this.#ticking !== undefined) return;
    if (performance.now() - this.#tickedMs < TICK_GAP_MS) return;
    this.#mustTick = false;
    // While the database is unavailable, the leases expire, and each tick tries to take them again.
    this.#ticking = this.#tick()
      .catch((error: unknown) => this.#logError(error))
      .finally(() => {
        this.#ticking = undefined;
        this.#tickedMs = performance.now();
      });
  }

  async #tick(): Promise<void> {
    const { database } = this.#services;
    const [any] = await findEnabledWebhooks(database, 0, '', '', 1);
    if (any === undefined && this.#leases.isEmpty) return;
    await this.#leases.refresh();
    const { epoch } = await getDatabaseInfo(database);
    this.#epoch = epoch;
    const enabled = await this.#lookAtAll();
    for (const id of this.#senders.keys()) if (!enabled.has(id)) await this.#stopSender(id);
    for (const id of this.#locked.keys()) if (!enabled.has(id)) this.#locked.delete(id);
  }

  /** Starts, wakes, or restarts the senders of this process. @returns the ids of this process's endpoints */
  async #lookAtAll(): Promise<Set<string>> {
    const known = new Map<string, Set<string>>();
    const ids = new Set<string>();
    for await (const row of this.#findOwn(0)) {
      ids.add(row.id);
      known.set(row.accountId, (known.get(row.accountId) ?? new Set()).add(row.id));
      await this.#lookAt(row);
    }
    this.#known = known;
    return ids;
  }

  /** The enabled endpoints of this process that are at least `behind` events behind. */
  async *#findOwn(behind: number): AsyncGenerator<Row> {
    let rows: Row[] = [];
    do {
      const last = rows.at(-1);
      const after = [last?.accountId ?? '', last?.id ?? ''] as const;
      rows = await findEnabledWebhooks(this.#services.database, behind, ...after, PAGE_LENGTH);
      yield* rows.filter(({ accountId }) => this.#leases.owns(accountId));
      // `ownTurn` would wait for other work, and the leases could expire.
      await nextTurn();
    } while (rows.length === PAGE_LENGTH);
  }

  async #lookAt({ accountId, id, revision, position, pending, sequence }: Row): Promise<void> {
    const sender = this.#senders.get(id);
    if (sender instanceof EndpointSender && (sender.webhook.revision !== revision || sender.epoch !== this.#epoch))
      await this.#stopSender(id);
    if (this.#locked.get(id) !== revision) this.#locked.delete(id);
    if (sequence > position) this.#notify(accountId, id);
    else if (pending > 0 && !this.#senders.has(id)) void this.#startSender(accountId, id);
  }

  #countFailing(): number {
    const senders = this.#senders.values();
    return senders.filter((sender) => sender instanceof EndpointSender && sender.isFailing).toArray().length;
  }

  readonly #onWritten = (accountId: string): void => {
    for (const id of this.#known.get(accountId) ?? []) this.#notify(accountId, id);
  };

  #notify(accountId: string, id: string): void {
    this.#pages.noteWrite(accountId);
    const sender = this.#senders.get(id);
    if (sender instanceof EndpointSender) sender.notify();
    else if (sender === undefined) void this.#startSender(accountId, id);
  }

  /** Notifies the senders of events that other processes wrote. */
  async #poll(): Promise<void> {
    if (this.#isPolling || this.#leases.isAlone || this.#leases.isEmpty) return;
    this.#isPolling = true;
    try {
      for await (const { accountId, id } of this.#findOwn(1)) this.#notify(accountId, id);
    } catch {
      // The next tick reports the error.
    } finally {
      this.#isPolling = false;
    }
  }

  #wakeDue(): void {
    const now = Date.now();
    for (const sender of this.#senders.values()) {
      if (sender instanceof EndpointSender && this.#keeps(sender)) sender.wakeIfDue(now);
    }
  }

  /** Stops a sender unless this process still sends for its account. */
  #keeps(sender: EndpointSender): boolean {
    if (this.#leases.owns(sender.accountId)) return true;
    void this.#stopSender(sender.webhook.id);
    return false;
  }

  async #startSender(accountId: string, id: string): Promise<void> {
    if (this.#isStopped || !this.#leases.owns(accountId) || this.#locked.has(id)) return;
    this.#senders.set(id, 'starting');
    try {
      const sender = await this.#starting.run(accountId, () => this.#claim(accountId, id));
      if (sender === undefined || this.#isStopped || !this.#leases.owns(accountId)) this.#senders.delete(id);
      else {
        this.#senders.set(id, sender);
        sender.wake();
      }
    } catch (error) {
      this.#senders.delete(id);
      this.#logError(error);
    }
  }

  async #claim(accountId: string, id: string): Promise<EndpointSender | undefined> {
    const { database, secretBox } = this.#services;
    const { owner } = this.#leases;
    if (!this.#leases.owns(accountId)) return undefined;
    const { webhook, epoch } = await database.write(async (transaction) => {
      const claimed = await claimWebhook(transaction, accountId, id, owner);
      return { webhook: claimed, epoch: (await getDatabaseInfo(transaction)).epoch };
    }, accountId);
    if (webhook === undefined) return undefined;
    const keys = openSecrets(secretBox, accountId, webhook);
    if (keys === undefined) {
      this.#locked.set(id, webhook.revision);
      this.#services.log.logger.error({ accountId, webhookId: id }, LOCKED_SECRET);
      return undefined;
    }
    const onEnd = (sender: EndpointSender, why: EndReason) => this.#onEnd(sender, why);
    const context = {
      ...this.#services,
      slots: this.#slots,
      pace: this.#pace,
      pages: this.#pages,
      held: this.#held,
      large: this.#large,
      epoch,
      owner,
      onEnd,
      onDue: (due: EndpointSender) => this.#keeps(due) && due.wake(),
    };
    const sender = new EndpointSender(context, accountId, webhook, keys);
    await sender.load();
    return sender;
  }

  /** Unless its endpoint was disabled, a sender that has ended starts again at the next tick, from the stored state. */
  #onEnd(sender: EndpointSender, why: EndReason): void {
    // A new sender may have replaced this one.
    if (this.#senders.get(sender.webhook.id) === sender) this.#senders.delete(sender.webhook.id);
    if (why instanceof Error) this.#logError(why);
    if (why === 'changed') this.refresh();
    if (why === 'disabled') void this.#mailDisabled(sender);
  }

  async #mailDisabled({ accountId, webhook }: EndpointSender): Promise<void> {
    const { database, log } = this.#services;
    const onError = (error: unknown) =>
      log.logger.error({ err: error, webhookId: webhook.id }, 'a notice of a disabled endpoint could not be mailed');
    await mailDisabledWebhook(database, this.#services, accountId, webhook, onError).catch(onError);
  }

  async #stopSender(id: string): Promise<void> {
    const sender = this.#senders.get(id);
    if (!(sender instanceof EndpointSender)) return;
    this.#senders.delete(id);
    await sender.stop();
  }

  #logError(error: unknown): void {
    // Requests already report an unavailable database.
    if (error instanceof AppError && error.code === 'unavailable') return;
    this.#services.log.logger.error({ err: error }, 'could not send webhooks');
  }
}
