import type { Told } from '../../../../testkit/src/openapi.ts';
import type { World } from './accounts.ts';
import { findTarget, type Target } from './api.ts';
import { Caller } from './caller.ts';
import type { Tally } from './tally.ts';

export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Sends texts and records what became of them, to compare engines. */
export class TextsDesk {
  readonly world: World;
  readonly #caller: Caller;
  readonly fates: string[] = [];

  constructor(world: World, tally: Tally) {
    this.world = world;
    this.#caller = new Caller(world.url, tally);
  }

  ask(...request: Parameters<Caller['ask']>): Promise<Told> {
    return this.#caller.ask(...request);
  }

  read(path: string, accept = 'application/json'): Promise<Told> {
    const target = path.startsWith('/v1/listings/') ? RETRIEVE : LIST;
    return this.ask(target, 'GET', path, { ...this.world.callers.key, Accept: accept });
  }

  write(method: 'POST' | 'PUT', path: string, body: object): Promise<Told> {
    const headers = { ...this.world.callers.key, ...JSON_TYPE };
    return this.ask(method === 'POST' ? CREATE : PUT, method, path, headers, JSON.stringify(body));
  }

  /** As a form in the dashboard does. */
  typeIn(
    operationId: string,
    body: object,
    who: Record<string, string> = this.world.callers.administrator,
  ): Promise<Told> {
    const target = findTarget('/admin', operationId);
    const { method, path } = target.operation;
    return this.ask(target, method.toUpperCase(), `/admin${path}`, { ...who, ...JSON_TYPE }, JSON.stringify(body));
  }
}

const LIST: Target = findTarget('/v1', 'listListings');
export const CREATE = findTarget('/v1', 'createListing');
export const RETRIEVE = findTarget('/v1', 'retrieveListing');
const PUT = findTarget('/v1', 'upsertListing');

/** Lone surrogates cannot be sent, and longer paths fail whatever they say. */
export function fitsAddress(text: string): boolean {
  return text.isWellFormed() && encodeURIComponent(text).length < ADDRESS_LENGTH_MAX;
}

const ADDRESS_LENGTH_MAX = 15_000;

export function faultsOf({ status, text }: Told): { field: string; code: string }[] {
  return status === 422 ? (JSON.parse(text).error.details ?? []) : [];
}

export function show(text: string): string {
  const escaped = JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.length > 80 ? `${escaped.slice(0, 80)}… (${[...text].length})` : escaped;
}
