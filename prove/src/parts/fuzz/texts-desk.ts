import type { Told } from '../../../../testkit/src/openapi.ts';
import { readTexts } from '../../texts.ts';
import type { World } from './accounts.ts';
import { Caller, findTarget, JSON_TYPE, type Tally, type Target } from './caller.ts';

/** Strings that have broken other programs. */
export const TEXTS = [...readTexts(new URL('texts.jsonl', import.meta.url)).values()].flat();

export function textsAround(lengthMax: number): string[] {
  return [
    'x'.repeat(lengthMax),
    'x'.repeat(lengthMax + 1),
    '😀'.repeat(lengthMax),
    '😀'.repeat(lengthMax + 1),
    'e\u0301'.repeat(lengthMax),
    `   ${'x'.repeat(lengthMax)}   `,
    '\u0958'.repeat(lengthMax),
    `${'w'.repeat(lengthMax - 1)}\u0301\u0302`,
  ];
}

export interface Place {
  lengthMax: number;
  /** Whether line feeds and tabs are allowed. */
  isMultiline?: boolean;
  /** Whether surrounding whitespace is kept and empty strings are allowed. */
  isRaw?: boolean;
  /** A rule that the document states in prose. */
  isRefused?: (text: string) => boolean;
}

/** What happens to a string: it is stored in this form, or rejected with one of these codes. */
export type Fate = { stored: string } | { codes: string[] };

/** A second implementation of the rules for strings, which are in NFC, trimmed, and measured in code points. */
export function fateOf(text: string, { lengthMax, isMultiline = false, isRaw = false, isRefused }: Place): Fate {
  const normal = text.normalize('NFC');
  const stored = isRaw ? normal : normal.trim();
  const control = isMultiline ? /[\p{Cc}--[\n\t]]/v : /\p{Cc}/u;
  const codes = [
    stored === '' && !isRaw ? 'blank' : '',
    [...stored].length > lengthMax ? 'too_long' : '',
    control.test(stored) || !stored.isWellFormed() || isRefused?.(stored) ? 'invalid_format' : '',
  ].filter((code) => code !== '');
  return codes.length === 0 ? { stored } : { codes };
}

/** Whether a string would change a URL's path, because `.` and `..` are resolved. */
export function isDots(text: string): boolean {
  return text === '.' || text === '..';
}

/** Sends strings, and records what happens to them, so that the two engines can be compared. */
export class TextsDesk extends Caller {
  readonly world: World;
  readonly fates: string[] = [];

  constructor(world: World, tally: Tally) {
    super(world.url, tally);
    this.world = world;
  }

  read(path: string, accept = 'application/json'): Promise<Told> {
    const target = path.startsWith('/v1/listings/') ? RETRIEVE : LIST;
    return this.ask(target, 'GET', path, { ...this.world.callers.key, Accept: accept });
  }

  write(method: 'POST' | 'PUT', path: string, body: object): Promise<Told> {
    const headers = { ...this.world.callers.key, ...JSON_TYPE };
    return this.ask(method === 'POST' ? CREATE : PUT, method, path, headers, JSON.stringify(body));
  }

  typeIn(operationId: string, body: object, who?: Record<string, string>): Promise<Told> {
    const target = findTarget('/admin', operationId);
    const { method, path } = target.operation;
    const headers = { ...(who ?? this.world.callers.administrator), ...JSON_TYPE };
    return this.ask(target, method.toUpperCase(), `/admin${path}`, headers, JSON.stringify(body));
  }
}

const LIST: Target = findTarget('/v1', 'listListings');
export const CREATE = findTarget('/v1', 'createListing');
export const RETRIEVE = findTarget('/v1', 'retrieveListing');
const PUT = findTarget('/v1', 'upsertListing');

/** Whether a path can contain the string. Lone surrogates cannot be sent, and very long paths always fail. */
export function fitsAddress(text: string): boolean {
  return text.isWellFormed() && encodeURIComponent(text).length < ADDRESS_LENGTH_MAX;
}

const ADDRESS_LENGTH_MAX = 15_000;

export function faultsOf({ status, text }: Told): { field: string; code: string }[] {
  return status === 422 ? (JSON.parse(text).error.details ?? []) : [];
}

export function show(text: string): string {
  const code = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const escaped = JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, code);
  return escaped.length > 80 ? `${escaped.slice(0, 80)}… (${[...text].length})` : escaped;
}
