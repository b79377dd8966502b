import { describeKeyFault, maskKeys } from './api-key.ts';
import { ConfigurationError } from './errors.ts';
import type { Fetch } from './request.ts';

export interface ClientOptions {
  /** Default: the environment's `PROPERTY_LISTINGS_API_KEY`. */
  apiKey?: string | undefined;
  /** With `/v1`; default: the environment's `PROPERTY_LISTINGS_BASE_URL`. */
  baseUrl?: string | undefined;
  /** How long the service may be silent before a try is given up; default 60,000. */
  timeoutMs?: number | undefined;
  /** How often what failed is tried again; default 2. */
  maxRetries?: number | undefined;
  /** Another `fetch` than the platform's. */
  fetch?: Fetch | undefined;
  /** A key in a page is a key that everybody who opens the page has. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** What each call may say for itself. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** Default: a new one for each call that writes. */
  idempotencyKey?: string | undefined;
  /** The version that a listing must have to be changed, an ETag, or `*` for any. */
  ifMatch?: number | string | undefined;
  /** An ETag that one has already; `*` for "only if there is none". */
  ifNoneMatch?: number | string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface Settings {
  apiKey: string;
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: Fetch | undefined;
}

const TIMEOUT_MS = 60_000;
const RETRIES = 2;

const CLIENT_OPTIONS: readonly (keyof ClientOptions)[] = [
  'apiKey',
  'baseUrl',
  'timeoutMs',
  'maxRetries',
  'fetch',
  'dangerouslyAllowBrowser',
];
export const CALL_OPTIONS: readonly (keyof CallOptions)[] = [
  'signal',
  'timeoutMs',
  'maxRetries',
  'idempotencyKey',
  'ifMatch',
  'ifNoneMatch',
  'headers',
];

/** @throws {ConfigurationError} for an option that would do nothing: JavaScript does not look at types */
export function checkNames(options: object, known: readonly string[]): void {
  const name = Object.keys(options).find((given) => !known.includes(given));
  if (name === undefined) return;
  throw new ConfigurationError(`There is no option ${maskKeys(name)}; there are ${known.join(', ')}.`);
}

/** @throws {ConfigurationError} in words that never hold the key */
export function readSettings(options: ClientOptions): Settings {
  if (isBrowserPage() && options.dangerouslyAllowBrowser !== true) throw new ConfigurationError(BROWSER);
  checkNames(options, CLIENT_OPTIONS);
  const { timeoutMs = TIMEOUT_MS, maxRetries = RETRIES, fetch } = options;
  const settings = { apiKey: readApiKey(options.apiKey), baseUrl: readBaseUrl(options.baseUrl), fetch };
  return { ...settings, ...checkLimits({ timeoutMs, maxRetries }) };
}

const BROWSER =
  'This is a browser page, where everybody could read the API key and change your listings: a key does not belong in ' +
  'client-side code. Call the service from a server of yours. ' +
  'If only people who may have the key can open this page, set dangerouslyAllowBrowser: true.';

declare const window: unknown;
declare const document: unknown;
declare const WorkerGlobalScope: unknown;
declare const navigator: { userAgent?: string } | undefined;

/** A page, or a worker of one. Deno and edge services have workers, too, but no browser's name. */
export function isBrowserPage(): boolean {
  if (typeof window !== 'undefined' && typeof document !== 'undefined') return true;
  const isWorker = typeof WorkerGlobalScope !== 'undefined' && typeof navigator !== 'undefined';
  return isWorker && /^Mozilla\//.test(navigator.userAgent ?? '');
}

function readApiKey(given: string | undefined): string {
  const apiKey = given ?? readEnvironment('PROPERTY_LISTINGS_API_KEY');
  if (apiKey === undefined) throw new ConfigurationError('No API key: give apiKey, or set PROPERTY_LISTINGS_API_KEY.');
  const fault = describeKeyFault(apiKey);
  if (fault !== undefined) throw new ConfigurationError(fault);
  return apiKey;
}

/** Without slashes at its end. */
function readBaseUrl(given: string | undefined): string {
  const baseUrl = given ?? readEnvironment('PROPERTY_LISTINGS_BASE_URL');
  if (baseUrl === undefined)
    throw new ConfigurationError('No base URL: give baseUrl, or set PROPERTY_LISTINGS_BASE_URL.');
  const trimmed = baseUrl.trim().replace(/\/+$/, '');
  // Not shown in the message: what was given may be a key, or have a password in it.
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?\/v1$/i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new ConfigurationError(BASE_URL);
  }
  return trimmed;
}

const BASE_URL = 'The base URL must be like https://listings.example.com/v1: with /v1, without a user, ? and #.';

/** An empty variable counts as not set; where there is no environment, or none that may be read, nothing is set. */
function readEnvironment(name: string): string | undefined {
  try {
    // Not by its name: bundlers for pages put an empty object in its place.
    return Reflect.get(globalThis, 'process')?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** @throws {ConfigurationError} for numbers that mean nothing */
export function checkLimits<T extends { timeoutMs: number; maxRetries: number }>(limits: T): T {
  if (!(limits.timeoutMs > 0)) throw new ConfigurationError('timeoutMs must be above 0; Infinity waits for ever.');
  if (!(limits.maxRetries >= 0)) throw new ConfigurationError('maxRetries must be 0 or more.');
  return limits;
}
