import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import type { Callers, World } from './accounts.ts';
import { Caller, findTarget, type Tally, type Target } from './caller.ts';
import type { Draft } from './drafts.ts';
import type { Prepared } from './faults.ts';
import { Known, LISTINGS_MAX, type Listing } from './known.ts';
import { judgeOutcome } from './outcome.ts';
import { prepare } from './prepare.ts';

const LIST = findTarget('/v1', 'listListings');
const DELETE = findTarget('/v1', 'deleteListing');
const LIST_FEEDS = findTarget('/v1', 'listFeeds');

/** What each operation deletes. Its id or name is the end of the operation's path. */
const DELETING: Record<string, keyof Known['pools']> = {
  deleteApiKey: 'keyId',
  deleteInvitation: 'invitationId',
  deleteFeed: 'name',
  deleteSavedView: 'view',
  deleteWebhook: 'webhookId',
};

/** Sends requests for one account one after another, so that the state before each request is known. */
export class Lane extends Caller {
  readonly known: Known;
  readonly #callers: Callers;
  #keys = 0;
  #sent = 0;

  constructor({ url, callers, administratorId }: World, tally: Tally) {
    super(url, tally);
    this.known = new Known(administratorId);
    this.#callers = callers;
  }

  async take(draft: Draft): Promise<void> {
    this.#keys += 1;
    const request = prepare(draft, this.known, `key-${this.#keys}`);
    const told = await this.#send(request);
    judgeOutcome(request, told, this.known);
    if (request.method === 'HEAD') return;
    if (told.status < 300) await this.#learn(request, told);
    // The service also records a run that the guard stops.
    if (request.target.operation.operationId === 'putFeed') await this.#learnFeeds();
    if (draft.at % 50 === 0) await this.#repeat();
    if (this.known.listings.size > LISTINGS_MAX) await this.#makeRoom();
  }

  async #send(request: Prepared): Promise<Told> {
    const { method, path, query, body, target, headers, caller } = request;
    const parameters = query
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&');
    const url = `${target.base}${path}${parameters === '' ? '' : `?${parameters}`}`;
    const own = { ...this.#callers[caller], 'X-Forwarded-For': this.#nextAddress() };
    return this.ask(target, method, url, { ...own, ...headers }, body);
  }

  /** Client addresses vary, because the service limits wrong codes per address. */
  #nextAddress(): string {
    this.#sent += 1;
    return `198.18.${(this.#sent >> 8) % 256}.${this.#sent % 256}`;
  }

  async #learn(request: Prepared, told: Told): Promise<void> {
    const { known } = this;
    const { operationId } = request.target.operation;
    const isReplayed = told.headers.get('idempotent-replayed') === 'true';
    assert.ok(!isReplayed, 'a response to a new Idempotency-Key is a replay');
    // A replay of a change to a webhook endpoint or a feed returns its current state.
    const isComparable = request.headers['Idempotency-Key'] !== undefined && !/Webhook|updateFeed/.test(operationId);
    if (isComparable) known.remember(request, told);
    const [ownerId = '', id = ''] = request.path.split('/').slice(-2);
    if (/^(create|update|upsert)Listing(ByExternalId)?$/.test(operationId)) known.keep(told.text);
    if (/^deleteListing(ByExternalId)?$/.test(operationId)) known.delete('id', request.listingId ?? '');
    if (operationId === 'deleteListings')
      for (const id of Object(request.value).ids) if (known.listings.has(id)) known.delete('id', id);
    if (operationId === 'createImport') known.take((await this.readAll()).data);
    if (operationId === 'listListings') await this.#learnList(request, told);
    if (operationId === 'listRequests') {
      known.pools.entryId.live.clear();
      for (const { id } of JSON.parse(told.text).data) known.add('entryId', id);
    }
    if (operationId === 'createApiKey') known.addKey(JSON.parse(told.text).id);
    if (operationId === 'rollApiKey') {
      // The old key must not be rolled again, even while it still works.
      known.pools.keyId.live.delete(ownerId);
      if (Object(request.value).expiresInHours === 0) known.delete('keyId', ownerId);
      known.addKey(JSON.parse(told.text).id);
    }
    if (operationId === 'createInvitation') known.invite(JSON.parse(told.text));
    if (operationId === 'saveView') known.add('view', JSON.parse(told.text).name);
    if (operationId === 'createWebhook') known.add('webhookId', JSON.parse(told.text).id);
    if (operationId === 'listWebhookDeliveries')
      for (const { id } of JSON.parse(told.text).data) known.add('deliveryId', id, ownerId);
    const deleted = DELETING[operationId];
    if (deleted !== undefined) known.delete(deleted, decodeURIComponent(id));
    if (operationId === 'deleteFeed') known.takeFeeds((await this.readAll()).data);
  }

  async #learnFeeds(): Promise<void> {
    const { known } = this;
    const { text } = await this.ask(LIST_FEEDS, 'GET', '/v1/feeds', this.#callers.key);
    for (const { name, lastRun } of JSON.parse(text).data) {
      known.add('name', name);
      if (lastRun) known.add('runId', lastRun.id, name);
    }
    known.takeFeeds((await this.readAll()).data);
  }

  async #learnList({ query, headers, target }: Prepared, { text, headers: told }: Told): Promise<void> {
    if (headers.Accept === 'application/json' || headers.Accept === '*/*') {
      const { data } = JSON.parse(text);
      const names = query.map(([name]) => name).filter((name) => name !== 'count' && name !== 'sort');
      if (!names.includes('fields')) this.known.assertKnown(data);
      if (query.length === 0) this.known.assertComplete(data);
      else if (names.length === 0)
        assert.equal(data.length, this.known.listings.size, 'listings are missing in a list');
    }
    const [, next] = /<([^>]+)>; rel="next"/.exec(told.get('link') ?? '') ?? [];
    if (next !== undefined) await this.#readRest(target, next, headers.Accept ?? '');
  }

  /** Reads up to three more pages. Each listing must be on only one of them, and deleted listings on none. */
  async #readRest(target: Target, first: string, accept: string): Promise<void> {
    const seen = new Set<string>();
    const headers = { ...this.#callers[target.base === '/v1' ? 'key' : 'administrator'], Accept: accept };
    let next: string | undefined = first;
    for (let pages = 0; next !== undefined && pages < 3; pages += 1) {
      const told = await this.ask(target, 'GET', next, headers);
      assert.equal(told.status, 200, `the next page of a list is rejected: ${told.text}`);
      const onPage = new Set<string>();
      for (const id of told.text.match(/lst_[0-9a-z]{26}/g) ?? []) {
        assert.ok(!this.known.deleted.has(id), `the deleted listing ${id} is on a page`);
        assert.ok(!seen.has(id), `the listing ${id} is on two pages`);
        onPage.add(id);
      }
      for (const id of onPage) seen.add(id);
      [, next] = /<([^>]+)>; rel="next"/.exec(told.headers.get('link') ?? '') ?? [];
    }
  }

  async #repeat(): Promise<void> {
    const earlier = this.known.done[0];
    if (earlier === undefined) return;
    const { status, headers, text } = await this.#send(earlier.request);
    assert.deepEqual([status, text], [earlier.told.status, earlier.told.text], 'a retry gets a different response');
    assert.equal(headers.get('idempotent-replayed'), 'true', 'a retry is not marked as replayed');
  }

  async #makeRoom(): Promise<void> {
    for (const id of [...this.known.listings.keys()].slice(0, LISTINGS_MAX / 2)) {
      const told = await this.ask(DELETE, 'DELETE', `/v1/listings/${id}`, this.#callers.key);
      assert.equal(told.status, 204, told.text);
      this.known.delete('id', id);
    }
    this.known.assertComplete((await this.readAll()).data);
  }

  async readAll(): Promise<{ data: Listing[] }> {
    const { text } = await this.ask(LIST, 'GET', '/v1/listings', this.#callers.key);
    const list = JSON.parse(text);
    this.known.epoch = list.epoch;
    this.known.sequence = list.sequence;
    return list;
  }
}
