import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { JSON_ARRAY, NDJSON } from './imports.ts';

export interface Call {
  method: string;
  path: string;
  body?: string;
  type?: string;
  /** Sent as the Idempotency-Key of each try. */
  retryKey?: string;
}

export interface Told {
  /**
   * `acknowledged`: the status is 2xx. `refused`: nothing was written. `unknown`: the error is
   * `outcome_unknown`, or the connection was lost before the response was complete.
   */
  outcome: 'acknowledged' | 'refused' | 'unknown';
  /** The status of the response; 0 if there is none. */
  status: number;
  text: string;
  /** Whether the response is the stored outcome of an earlier try. */
  isReplayed: boolean;
}

/** Error codes that promise that nothing was written and that a retry is safe. */
const REFUSALS = new Set(['unavailable', 'storage_full', 'rate_limited', 'too_many_imports']);
/** Error codes that would mean that a listing, a key, or events were lost. */
const LOSSES = new Set(['unauthorized', 'not_found', 'events_expired']);
const RETRY_MS = 10;
/** A service must recover within this time, even on a busy machine. */
export const PATIENCE_MS = 300_000;

/**
 * Sends one key's requests to several services in turn while they and their database stop and start. Every
 * request is valid and gets 2xx, a temporary error, or no response. `urls` may change later.
 */
export class PatientCaller {
  readonly #urls: readonly string[];
  readonly #key: string;
  /**
   * The number of each outcome: `acknowledged` (changes), `read`, `replayed` (done by a try whose response was lost),
   * `repeated` (sent again after its response), `lost` (connections), `cut` (those that were lost while a list or a
   * page of events was streamed), `unreachable`, `closing` (responses that close their connection), and error codes.
   */
  readonly #counts: Map<string, number>;
  #calls = 0;

  constructor(urls: readonly string[], key: string, counts: Map<string, number>) {
    this.#urls = urls;
    this.#key = key;
    this.#counts = counts;
  }

  async once(call: Call): Promise<Told> {
    const told = await this.#ask(call);
    if (told.outcome === 'acknowledged' && !told.isReplayed)
      this.#count(call.method === 'GET' ? 'read' : 'acknowledged');
    return told;
  }

  /**
   * Sends a request until it is acknowledged, each time with its Idempotency-Key, if it has one. `wasDone` means that
   * the request has already been acknowledged. If a try was rejected, it must not have been executed.
   */
  async send(call: Call, wasDone = false): Promise<Told & { tries: number }> {
    const endTimeMs = performance.now() + PATIENCE_MS;
    let wasUnknown = false;
    for (let tries = 1; ; tries += 1) {
      const told = await this.once(call);
      if (told.isReplayed) {
        assert.ok(wasDone || wasUnknown, `${call.method} ${call.path} was rejected but had been executed`);
        for (const what of wasDone ? ['repeated'] : ['replayed', 'acknowledged']) this.#count(what);
      }
      if (told.outcome === 'acknowledged') return { ...told, tries };
      wasUnknown ||= told.outcome === 'unknown';
      assert.ok(performance.now() < endTimeMs, `${call.method} ${call.path} did not succeed for minutes: ${told.text}`);
      await sleep(RETRY_MS);
    }
  }

  /** Like `send`, but adds an Idempotency-Key and asserts the status. @returns the response's JSON */
  async change(call: Call, status: number): Promise<Record<string, unknown>> {
    const reply = await this.send({ retryKey: randomUUID(), ...call });
    assert.ok(reply.status === status, `${call.method} ${call.path} got ${reply.status}, expected ${status}`);
    return reply.text === '' ? {} : JSON.parse(reply.text);
  }

  /** Reads the lines of the complete list; undefined if the list is unavailable or was cut off. */
  async list(): Promise<string[] | undefined> {
    const { outcome, text } = await this.#ask({ method: 'GET', path: '/listings' }, { Accept: NDJSON });
    if (outcome !== 'acknowledged') return undefined;
    this.#count('read');
    const lines = text.trimEnd().split('\n');
    const { end, count } = JSON.parse(lines.pop() ?? '');
    assert.deepEqual([end, count], [true, lines.length], 'a list that was not cut off is incomplete');
    return lines;
  }

  async #ask(call: Call, accept: Record<string, string> = {}): Promise<Told> {
    const { method, path, body, type = JSON_ARRAY, retryKey } = call;
    this.#calls += 1;
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#key}`, ...accept };
    if (body !== undefined) headers['Content-Type'] = type;
    if (retryKey !== undefined) headers['Idempotency-Key'] = retryKey;
    const url = `${this.#urls[this.#calls % this.#urls.length]}/v1${path}`;
    let isStreaming = false;
    try {
      const response = await fetch(url, { method, headers, body: body ?? null });
      isStreaming = method === 'GET' && response.ok;
      return this.#judge(call, response, await response.text());
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      if (isStreaming) this.#count('cut');
      const isUnreachable = Object(error.cause).code === 'ECONNREFUSED';
      this.#count(isUnreachable ? 'unreachable' : 'lost');
      return { outcome: isUnreachable ? 'refused' : 'unknown', status: 0, text: '', isReplayed: false };
    }
  }

  #judge({ method, path }: Call, { status, ok, headers }: Response, text: string): Told {
    const told = { status, text, isReplayed: headers.get('idempotent-replayed') === 'true' };
    if (headers.get('connection') === 'close') this.#count('closing');
    if (ok) return { ...told, outcome: 'acknowledged' };
    const { code } = JSON.parse(text).error;
    assert.ok(!LOSSES.has(code), `${method} ${path}: acknowledged data is gone: ${status} ${code}`);
    assert.ok(code === 'outcome_unknown' || REFUSALS.has(code), `${method} ${path}: ${status} ${text}`);
    this.#count(code);
    return { ...told, outcome: code === 'outcome_unknown' ? 'unknown' : 'refused' };
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
