import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '../../../../testkit/src/browser.ts';
import { NDJSON } from '../../../../testkit/src/imports.ts';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { runCommand, type ServeProcess } from '../../../../testkit/src/process.ts';
import type { Trial } from '../../part.ts';
import { CREDENTIALS, readTold, send, settingsOf } from '../../service.ts';

const LISTING = { address: '12 Elm Street', beds: 3, baths: 2 };
/** 200 KB of photo URLs, which never fit on the full disk. */
const PHOTOS = Array.from({ length: 100 }, (_, index) => ({ url: `https://example.com/${index}${'x'.repeat(1_900)}` }));
/** After this many rejections in a row, the disk has no space left even for small writes. */
const REFUSED_IN_A_ROW = 5;
const TRIES_MAX = 2_000;

const IN_DASHBOARD = '/api-keys /invitations /account /listings?limit=1 /session /members /activity'.split(' ');

export class Probes {
  readonly #service: ServeProcess;
  readonly #accountId: string;
  readonly #browser: Browser;
  #listing = { id: '' };
  #oldKeyId = '';
  #key = '';
  keyId = '';
  requests = 0;

  constructor(service: ServeProcess, accountId: string) {
    this.#service = service;
    this.#accountId = accountId;
    this.#browser = new Browser(service);
  }

  async prepare(): Promise<void> {
    await this.#browser.ask('POST', '/admin/auth/sign-in/email', CREDENTIALS);
    this.#oldKeyId = (await this.#browser.ask('POST', '/admin/api-keys', { name: 'Old' }, 201)).id;
    const { id, key } = await this.#browser.ask('POST', '/admin/api-keys', { name: 'Website' }, 201);
    [this.keyId, this.#key] = [id, key];
    this.#listing = JSON.parse((await this.send('POST', '/listings', { ...LISTING, externalId: 'A-1' })).text);
  }

  /** Writes must get 507 and change nothing, and reads must work. @returns the number of kinds of requests */
  async tryAll(trial: Trial, settings: Record<string, string>): Promise<number> {
    await this.#useUpRoom();
    const before = await this.#readAll();
    const writes = this.#writes();
    for (const [what, send] of Object.entries(writes)) {
      const { status, text } = await send();
      assert.ok(status === 507 && JSON.parse(text).error.code === 'storage_full', `${what}: ${status} ${text}`);
    }
    await this.#tryCommands(trial, settings);
    assert.deepEqual(await this.#readAll(), before, 'requests that got 507 changed something');
    return Object.keys(writes).length + before.length;
  }

  async goOn(): Promise<void> {
    for (const [what, send] of Object.entries(this.#writes())) {
      const { status, text } = await send();
      assert.ok(status < 300, `${what}, with space again: ${status} ${text}`);
    }
  }

  async #useUpRoom(): Promise<void> {
    const sends = [
      () => this.send('POST', '/listings', { ...LISTING, photos: PHOTOS }),
      () => this.send('POST', '/listings', LISTING),
      () => this.#browser.send('PATCH', '/admin/account', { name: randomUUID() }).then(readTold),
    ];
    for (const send of sends) {
      let refused = 0;
      for (let tries = 0; refused < REFUSED_IN_A_ROW; tries += 1) {
        const { status } = await send();
        refused = status === 507 ? refused + 1 : 0;
        assert.ok(tries < TRIES_MAX, 'a full disk accepts one write after another');
      }
    }
  }

  #writes(): Record<string, () => Promise<Told>> {
    const { id } = this.#listing;
    const rows = Array.from({ length: 3 }, () => JSON.stringify(LISTING)).join('\n');
    const inDashboard = (method: string, path: string, body?: unknown) => () =>
      this.#browser.send(method, `/admin${path}`, body).then(readTold);
    return {
      'a create': () => this.send('POST', '/listings', LISTING),
      'a create with an Idempotency-Key': () =>
        this.send('POST', '/listings', LISTING, { 'Idempotency-Key': 'full-disk' }),
      'a patch': () => this.send('PATCH', `/listings/${id}`, { beds: 9 }),
      'an upsert': () => this.send('PUT', '/listings/external/A-1', { ...LISTING, baths: 9 }),
      'an import': () => this.send('POST', '/imports', rows, { 'Content-Type': NDJSON }),
      'an atomic import': () => this.send('POST', '/imports?atomic=true', rows, { 'Content-Type': NDJSON }),
      'a create in the dashboard': inDashboard('POST', '/listings', LISTING),
      'a new key': inDashboard('POST', '/api-keys', { name: 'Another' }),
      'an invitation': inDashboard('POST', '/invitations', { email: 'grace@example.com', role: 'member' }),
      'the settings': inDashboard('PATCH', '/account', { name: 'Changed' }),
      'signing in': () =>
        new Browser(this.#service).send('POST', '/admin/auth/sign-in/email', CREDENTIALS).then(readTold),
      'the deletion of a key': inDashboard('DELETE', `/api-keys/${this.#oldKeyId}`),
      'a delete': () => this.send('DELETE', `/listings/${id}`),
    };
  }

  async #readAll(): Promise<unknown[]> {
    const texts: unknown[] = [];
    const paths = ['/listings', `/listings/${this.#listing.id}`, '/events?limit=1000', '/listings?q=elm&count=true'];
    for (const path of paths) {
      const { status, text } = await this.send('GET', path);
      assert.equal(status, 200, `${path} on a full disk: ${text}`);
      texts.push(text);
    }
    for (const path of IN_DASHBOARD) {
      const { status, text } = await this.#browser.send('GET', `/admin${path}`).then(readTold);
      assert.equal(status, 200, `/admin${path} on a full disk: ${text}`);
      // Compare only the ids of keys, because the time of their last use changes between reads.
      texts.push(path === '/api-keys' ? JSON.parse(text).data.map(({ id }: { id: string }) => id) : text);
    }
    return texts;
  }

  /** `backup` must fail and leave no files. The full form also tries `keys create` and a backup to another disk. */
  async #tryCommands(trial: Trial, given: Record<string, string>): Promise<void> {
    const settings = settingsOf(trial, given);
    const file = join(given.DATA_DIR ?? '', 'backup.db');
    const backup = ['backup', file];
    const key = ['keys', 'create', '--account', this.#accountId, '--name', 'Another'];
    for (const args of trial.size === 'full' ? [backup, key] : [backup]) {
      const what = args[0];
      const { code, stderr } = await runCommand(args, settings);
      assert.ok(code === 1 && /the disk is full/i.test(stderr), `${what} on a full disk: ${code} ${stderr}`);
      assert.doesNotMatch(stderr, /\n {4}at /, `${what} on a full disk prints a stack trace`);
    }
    for (const ending of ['', '.partial', '.rewritten', '.sha256']) {
      assert.ok(!existsSync(file + ending), 'a backup that ran out of disk space left a file behind');
    }
    if (trial.size === 'small') return;
    const elsewhere = join(trial.directory, 'backup.db');
    const { code, stderr } = await runCommand(['backup', elsewhere], settings);
    assert.equal(code, 0, `a backup from a full disk to another fails: ${stderr}`);
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Told> {
    this.requests += 1;
    return send(this.#service.url, this.#key, method, path, body, headers);
  }
}
