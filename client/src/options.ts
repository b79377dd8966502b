import { describeKeyFault, maskKeys } from './api-key.ts';
import { ConfigurationError } from './errors.ts';
import type { Fetch } from './request.ts';

export interface ClientOptions {
  /** Default: the `PROPERTY_LISTINGS_API_KEY` environment variable. */
  apiKey?: string | undefined;
  /** Ends with `/v1`. Default: the `PROPERTY_LISTINGS_BASE_URL` environment variable. */
  baseUrl?: string | undefined;
  /** Milliseconds to wait for the next bytes; long polls, feeds, and webhook tests wait longer. Default: 60,000. */
  timeoutMs?: number | undefined;
  /** The maximum number of retries of a call. Default: 2. */
  maxRetries?: number | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: Fetch | undefined;
  /** Allows the client to run in a browser page, which exposes the key to everyone who opens the page. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** Default: a new key for each write, except feed files and imports that are not atomic. */
  idempotencyKey?: string | undefined;
  /** Makes a write fail unless the listing has this version or ETag; `*` matches any version. */
  ifMatch?: number | string | undefined;
  /**
   * Makes a read fail with `NotModifiedError` if this version or ETag is current; `*` makes a write fail if
   * the listing exists.
   */
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

/** Rejects misspelled options, which plain JavaScript would ignore. @throws {ConfigurationError} */
export function checkNames(options: object, known: readonly string[]): void {
  const name = Object.keys(options).find((given) => !known.includes(given));
  if (name === undefined) return;
  throw new ConfigurationError(`Unknown option ${maskKeys(name)}. Known options: ${known.join(', ')}.`);
}

/** @throws {ConfigurationError} with a message that never contains the key */
export function readSettings(options: ClientOptions): Settings {
  if (isBrowserPage() && options.dangerouslyAllowBrowser !== true) throw new ConfigurationError(BROWSER);
  checkNames(options, CLIENT_OPTIONS);
  const { timeoutMs = TIMEOUT_MS, maxRetries = RETRIES, fetch } = options;
  const settings = { apiKey: readApiKey(options.apiKey), baseUrl: readBaseUrl(options.baseUrl), fetch };
  return { ...settings, ...checkLimits({ timeoutMs, maxRetries }) };
}

const BROWSER =
  'An API key does not belong in client-side code, which everyone can read. Call the service from your server. If the ' +
  'key is public, set dangerouslyAllowBrowser: true.';

declare const window: unknown;
declare const document: unknown;
declare const WorkerGlobalScope: unknown;
declare const navigator: { userAgent?: string } | undefined;

/** Detects pages and their workers. Deno and edge platforms also have workers, but with a different user agent. */
export function isBrowserPage(): boolean {
  if (typeof window !== 'undefined' && typeof document !== 'undefined') return true;
  const isWorker = typeof WorkerGlobalScope !== 'undefined' && typeof navigator !== 'undefined';
  return isWorker && /^Mozilla\//.test(navigator.userAgent ?? '');
}

function readApiKey(given: string | undefined): string {
  const apiKey = given ?? readEnvironment('PROPERTY_LISTINGS_API_KEY');
  if (apiKey === undefined)
    throw new ConfigurationError('Missing API key: pass apiKey or set PROPERTY_LISTINGS_API_KEY.');
  const fault = describeKeyFault(apiKey);
  if (fault !== undefined) throw new ConfigurationError(fault);
  return apiKey;
}

function readBaseUrl(given: string | undefined): string {
  const baseUrl = given ?? readEnvironment('PROPERTY_LISTINGS_BASE_URL');
  if (baseUrl === undefined)
    throw new ConfigurationError('Missing base URL: pass baseUrl or set PROPERTY_LISTINGS_BASE_URL.');
  const trimmed = baseUrl.trim().replace(/\/+$/, '');
  // The message does not quote the URL, which may contain a key or a password.
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?\/v1$/i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new ConfigurationError(BASE_URL);
  }
  return trimmed;
}

const BASE_URL = 'The base URL must look like https://listings.example.com/v1, without a user, query, or fragment.';

/** Returns undefined if the variable is unset or empty, or if the environment is missing or not accessible. */
function readEnvironment(name: string): string | undefined {
  try {
    // Bundlers would replace a literal `process` with an empty object.
    return Reflect.get(globalThis, 'process')?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** @throws {ConfigurationError} for numbers out of range */
export function checkLimits<T extends { timeoutMs: number; maxRetries: number }>(limits: T): T {
  if (!(limits.timeoutMs > 0)) throw new ConfigurationError('timeoutMs must be greater than 0; Infinity disables it.');
  if (!(limits.maxRetries >= 0)) throw new ConfigurationError('maxRetries must be 0 or more.');
  return limits;
}
