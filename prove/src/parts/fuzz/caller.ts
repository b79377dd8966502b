import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import type { Target } from './api.ts';
import type { Tally } from './tally.ts';

/** Requests shown when a response is wrong. */
const HISTORY = 6;

/** Sends requests, checks each response against the documents, and remembers the last ones. */
export class Caller {
  readonly #url: string;
  readonly #tally: Tally;
  readonly #history: string[] = [];

  constructor(url: string, tally: Tally) {
    this.#url = url;
    this.#tally = tally;
  }

  /** The last requests, as curl commands. */
  get history(): string {
    return this.#history.join('\n');
  }

  async ask(
    target: Target,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | Uint8Array<ArrayBuffer>,
  ): Promise<Told> {
    this.#history.push(toCurl(method, this.#url + path, headers, body?.toString()));
    if (this.#history.length > HISTORY) this.#history.shift();
    const told = await tell(this.#url + path, { method, headers, body: body ?? null });
    this.#tally.count(target, told);
    return told;
  }
}

/** Tries again on a new connection: an idle one may close just as it is used. */
async function tell(url: string, init: RequestInit): Promise<Told> {
  const again = () => fetch(url, init).catch((error: unknown) => assert.fail(`no reply came: ${describe(error)}`));
  const response = await fetch(url, init).catch(again);
  const text = await response.text().catch((error: unknown) => assert.fail(`a reply was cut: ${describe(error)}`));
  return { status: response.status, headers: response.headers, text };
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error);
}

function toCurl(method: string, url: string, headers: Record<string, string>, body: string | undefined): string {
  const lines = Object.entries(headers).map(([name, value]) => ` -H ${quote(`${name}: ${value}`)}`);
  const data = body === undefined ? '' : ` --data-binary ${quote(body)}`;
  return `curl -i -X ${method} ${quote(url)}${lines.join('')}${data}`.slice(0, CURL_LENGTH_MAX);
}

const CURL_LENGTH_MAX = 1_500;

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
