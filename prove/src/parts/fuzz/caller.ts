import assert from 'node:assert/strict';
import {
  type DocumentedOperation,
  type OpenApiDocument,
  readDocument,
  type Told,
} from '../../../../testkit/src/openapi.ts';

export const BASES = ['/v1', '/admin'] as const;
export type Base = (typeof BASES)[number];
export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** An operation, and the API and the document to which it belongs. */
export interface Target {
  base: Base;
  document: OpenApiDocument;
  operation: DocumentedOperation;
}

export const TARGETS: readonly Target[] = BASES.flatMap((base) => {
  const document = readDocument(base === '/v1' ? 'openapi' : 'admin');
  return document.operations.map((operation) => ({ base, document, operation }));
});

export function findTarget(base: Base, operationId: string): Target {
  const target = TARGETS.find((each) => each.base === base && each.operation.operationId === operationId);
  if (target === undefined) throw new Error(`there is no operation ${operationId} below ${base}`);
  return target;
}

/** Errors that requests alone usually cannot cause, and their causes. */
const ELSEWHERE: Record<string, string> = {
  request_timeout: 'a body that pauses for half a minute (slow-bodies.test.ts)',
  internal_error: 'no known cause',
  unavailable: 'an unreachable database (tried in “Crashes, PostgreSQL” and “Disk”)',
  outcome_unknown: 'a database connection lost during a commit (tried in “Crashes, PostgreSQL”)',
  storage_full: 'a full disk (tried in “Disk”)',
  quota_exceeded: 'a quota set by the operator, or a fixed limit, such as 20 webhook endpoints',
};

/** Counts how often each operation returned each documented status and code. */
export class Tally {
  readonly #counts = new Map<string, number>();
  replies = 0;

  /** @throws AssertionError unless the response is documented for the operation and at most `statusMax` */
  count(target: Target, told: Told, statusMax = 499): void {
    judgeReply(target, told, statusMax);
    const { status, text, headers } = told;
    this.replies += 1;
    const isError = status >= 400 && headers.get('content-type') === 'application/json' && text !== '';
    const name = nameOf(target, isError ? `${status} ${JSON.parse(text).error.code}` : String(status));
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Returns the documented and reachable outcomes that occurred fewer than `countMin` times. */
  missing(countMin: number): string[] {
    return this.#documented()
      .filter(({ outcome }) => ELSEWHERE[outcome.split(' ')[1] ?? ''] === undefined)
      .map(({ target, outcome }) => nameOf(target, outcome))
      .filter((name) => (this.#counts.get(name) ?? 0) < (ONCE.has(name) ? Math.min(1, countMin) : countMin));
  }

  /** Lists the outcomes of each operation, such as `201 × 4,812, 400 invalid_json × 210`. */
  lines(): [operation: string, outcomes: string][] {
    return TARGETS.map((target) => {
      const told = this.#documented().flatMap(({ target: each, outcome }) => {
        const count = each === target ? this.#counts.get(nameOf(target, outcome)) : undefined;
        return count === undefined ? [] : [`${outcome} × ${count}`];
      });
      return [`${target.base} ${target.operation.operationId}`, told.join(', ')];
    });
  }

  unseen(): string {
    return Array.from(Object.entries(ELSEWHERE), ([code, why]) => `${code}: ${why}`).join('; ');
  }

  #documented(): { target: Target; outcome: string }[] {
    return TARGETS.flatMap((target) =>
      Object.entries(target.operation.responses).flatMap(([status, { content }]) => {
        const codes = Object.keys(content?.['application/json']?.examples ?? {});
        const outcomes = Number(status) < 400 ? [status] : codes.map((code) => `${status} ${code}`);
        return outcomes.map((outcome) => ({ target, outcome }));
      }),
    );
  }
}

/** Outcomes that occur only once, because a service has only one first administrator. */
const ONCE = new Set(['/admin setUp 201']);

function nameOf({ base, operation }: Target, outcome: string): string {
  return `${base} ${operation.operationId} ${outcome}`;
}

function judgeReply({ document, operation }: Target, told: Told, statusMax: number): void {
  assert.ok(told.status <= statusMax, `a server error: ${told.status} ${told.text.slice(0, 500)}`);
  document.assertReply(operation, told);
  assert.ok(told.headers.has('x-request-id'), 'a response without an X-Request-Id');
  if (told.status === 304 || told.status === 204) assert.equal(told.text, '', 'a 204 or 304 with a body');
}

/** How many of the last requests are shown after a wrong response. */
const HISTORY = 6;

/** Sends requests, checks each response against the documents, and remembers the last requests. */
export class Caller {
  readonly #url: string;
  readonly #tally: Tally;
  readonly #history: string[] = [];

  constructor(url: string, tally: Tally) {
    this.#url = url;
    this.#tally = tally;
  }

  /** The last requests as curl commands. */
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
    this.#tally.count(target, { ...told, hasFields: /[?&]fields=/.test(path) });
    return told;
  }
}

/** Tries again on a new connection, because an idle connection can close just before it is used. */
async function tell(url: string, init: RequestInit): Promise<Told> {
  const again = () => fetch(url, init).catch((error: unknown) => assert.fail(`no response: ${describe(error)}`));
  const response = await fetch(url, init).catch(again);
  const text = await response.text().catch((error: unknown) => assert.fail(`a response was cut: ${describe(error)}`));
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
