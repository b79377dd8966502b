import assert from 'node:assert/strict';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { TARGETS, type Target } from './api.ts';

/** Not reachable by requests alone, and where it is shown. */
const ELSEWHERE: Record<string, string> = {
  request_timeout: 'a body that stops for half a minute (slow-bodies.test.ts)',
  internal_error: 'no known way',
  unavailable: 'a database that is away (parts 3 and 4)',
  outcome_unknown: 'a database that is lost during a commit (part 3)',
  storage_full: 'a full disk (part 4)',
  quota_exceeded: 'a quota that the operator has set',
};

/** How often each operation returned each documented status and code. */
export class Tally {
  readonly #counts = new Map<string, number>();
  replies = 0;

  /** @throws AssertionError unless the operation documents this response */
  count(target: Target, told: Told): void {
    judgeReply(target, told);
    const { status, text, headers } = told;
    this.replies += 1;
    const isError = status >= 400 && headers.get('content-type') === 'application/json' && text !== '';
    const name = nameOf(target, isError ? `${status} ${JSON.parse(text).error.code}` : String(status));
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Documented, reachable outcomes that occurred less than `countMin` times. */
  missing(countMin: number): string[] {
    return this.#documented()
      .filter(({ outcome }) => ELSEWHERE[outcome.split(' ')[1] ?? ''] === undefined)
      .map(({ target, outcome }) => nameOf(target, outcome))
      .filter((name) => (this.#counts.get(name) ?? 0) < (ONCE.has(name) ? Math.min(1, countMin) : countMin));
  }

  /** For each operation, such as `/v1 createListing`: `201 × 4,812, 400 invalid_json × 210 …`. */
  lines(): [operation: string, outcomes: string][] {
    return TARGETS.map((target) => {
      const outcomes = this.#documented().filter((each) => each.target === target);
      const seen = outcomes.map(({ outcome }) => [outcome, this.#counts.get(nameOf(target, outcome)) ?? 0] as const);
      const told = seen.filter(([, count]) => count > 0).map(([outcome, count]) => `${outcome} × ${count}`);
      return [`${target.base} ${target.operation.operationId}`, told.join(', ')];
    });
  }

  unseen(): string {
    return Object.entries(ELSEWHERE)
      .map(([code, why]) => `${code}: ${why}`)
      .join('; ');
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

/** There is only one first administrator. */
const ONCE = new Set(['/admin setUp 201']);

function nameOf({ base, operation }: Target, outcome: string): string {
  return `${base} ${operation.operationId} ${outcome}`;
}

function judgeReply({ document, operation }: Target, told: Told): void {
  assert.ok(told.status < 500, `an error of the service: ${told.status} ${told.text.slice(0, 500)}`);
  document.assertReply(operation, told);
  assert.ok(told.headers.has('x-request-id'), 'a reply without an X-Request-Id');
  if (told.status === 304 || told.status === 204) assert.equal(told.text, '', 'a reply with a body that has none');
}
