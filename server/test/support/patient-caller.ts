import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { JSON_ARRAY, NDJSON } from './imports.ts';

interface Call {
  method: string;
  path: string;
  body?: string;
  type?: string;
  /** Sends an Idempotency-Key, the same with each try. */
  retryKey?: string;
}

interface Told {
  status: number;
  text: string;
  /** How often it was sent before. */
  failures: number;
}

/**
 * Sends requests of one key, each to the next of several services, while their database comes and goes. A connection must
 * outlive that.
 */
export class PatientCaller {
  readonly #urls: readonly string[];
  readonly #key: string;
  /** How often each came: `acknowledged`, `replayed`, `cut` and the codes of errors. */
  readonly #counts: Map<string, number>;
  #calls = 0;

  constructor(urls: readonly string[], key: string, counts: Map<string, number>) {
    this.#urls = urls;
    this.#key = key;
    this.#counts = counts;
  }

  /** Sends it once; a 503 must be one of the two that a lost database makes, on a connection that stays open. */
  async once({ method, path, body, type = JSON_ARRAY, retryKey }: Call): Promise<Omit<Told, 'failures'>> {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers['Content-Type'] = type;
    if (retryKey !== undefined) headers['Idempotency-Key'] = retryKey;
    const response = await this.#fetch(path, { method, headers, body: body ?? null });
    const text = await response.text();
    assert.notEqual(response.headers.get('connection'), 'close');
    if (response.headers.get('idempotent-replayed') === 'true') this.#count('replayed');
    if (response.status !== 503) this.#count('acknowledged');
    else this.#count(codeOf(text));
    return { status: response.status, text };
  }

  /** Sends it, with the same Idempotency-Key, until the database is there. */
  async send(call: Call): Promise<Told> {
    for (let failures = 0; ; failures += 1) {
      const reply = await this.once(call);
      if (reply.status !== 503) return { ...reply, failures };
    }
  }

  /** As `send`, for what gives or takes a listing. */
  async change(call: Call, status: number): Promise<Record<string, unknown>> {
    const reply = await this.send({ ...call, retryKey: randomUUID() });
    assert.equal(reply.status, status, `${call.method} ${call.path}: ${reply.text}`);
    return reply.text === '' ? {} : JSON.parse(reply.text);
  }

  /** The lines of the complete list; undefined if it was cut, as a database that goes away makes of one that has begun. */
  async list(): Promise<string[] | undefined> {
    const response = await this.#fetch('/listings', { headers: { Accept: NDJSON } });
    const text = await response.text().catch(() => undefined);
    if (text === undefined) this.#count('cut');
    else if (response.status === 503) this.#count(codeOf(text));
    if (text === undefined || response.status === 503) return undefined;
    this.#count('acknowledged');
    const lines = text.trimEnd().split('\n');
    const { end, count } = JSON.parse(lines.pop() ?? '');
    assert.deepEqual([end, count], [true, lines.length]);
    return lines;
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    this.#calls += 1;
    const headers = { Authorization: `Bearer ${this.#key}`, ...Object(init.headers) };
    return fetch(`${this.#urls[this.#calls % this.#urls.length]}/v1${path}`, { ...init, headers });
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}

/** Of an error of a database that is lost. */
export function codeOf(text: string): string {
  const { code } = JSON.parse(text).error;
  assert.ok(code === 'unavailable' || code === 'outcome_unknown', text);
  return code;
}
