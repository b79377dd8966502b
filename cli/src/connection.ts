import { describeKeyFault, PropertyListings } from '@property-listings/client';
import type { Fetch } from '@property-listings/client/request';
import type { Command } from 'commander';
import { type Advice, adviceByOrigin } from './advice.ts';
import { type CurlFiles, createCurlPrinter } from './curl.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { readSettings, type Settings } from './settings.ts';

/** What the client is made of, for what it does not do: lists as the service writes them. */
export interface Service extends Settings {
  fetch?: Fetch;
  maxRetries?: number;
}

export interface CurlOptions {
  curl?: true;
}

type Work = (client: PropertyListings, service: Service) => Promise<void>;

export function withCurlOption(command: Command): Command {
  return command.option('--curl', 'print the request as a curl command, the key masked, and send nothing');
}

/** Runs `work` with the client, or lets it print its first request. */
export async function withClient({ curl }: CurlOptions, work: Work, files: CurlFiles = {}): Promise<void> {
  const settings = await getConnection();
  if (!curl) return work(createClient(settings), settings);
  const { fetch, ...printer } = createCurlPrinter(settings.apiKey, files);
  try {
    const service = { ...settings, fetch, maxRetries: 0 };
    await work(createClient(service), service);
  } catch (error) {
    if (!printer.hasPrinted()) throw error;
  }
}

export function createClient(service: Service, advice: Advice = adviceByOrigin()): PropertyListings {
  const fault = describeKeyFault(service.apiKey);
  if (fault !== undefined) throw new CommandError(`${fault} ${advice.key}`, EXIT.needsKey);
  return new PropertyListings(service);
}

/** Where requests go: the environment wins over what `login` has stored. */
async function getConnection(): Promise<Settings> {
  const { PROPERTY_LISTINGS_API_KEY: givenKey, PROPERTY_LISTINGS_BASE_URL: givenUrl } = process.env;
  // Not looked at where it is not asked: it may be broken.
  const stored = givenKey && givenUrl ? {} : await readSettings();
  const baseUrl = withoutSlash(givenUrl || stored.baseUrl);
  // A stored key belongs to the service that it was stored for: it must not be sent to another one.
  const isSameService = baseUrl === withoutSlash(stored.baseUrl);
  const apiKey = givenKey || (isSameService ? stored.apiKey : undefined);
  if (apiKey === undefined) throw new CommandError(missingKey(stored, baseUrl), EXIT.needsKey);
  if (baseUrl === undefined) {
    throw new CommandError(
      'The address of the service is not known: run "listings login", or set PROPERTY_LISTINGS_BASE_URL.',
    );
  }
  if (givenUrl) checkGivenUrl(baseUrl);
  return { baseUrl, apiKey };
}

/** The client's own words do not say what is wrong with which variable. */
function checkGivenUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const { protocol = '', username = '', password = '', pathname = '' } = url ?? {};
  const name = 'PROPERTY_LISTINGS_BASE_URL';
  if (!/^https?:$/.test(protocol)) {
    throw new CommandError(`${name} is no address such as https://listings.example.com/v1.`);
  }
  if (username !== '' || password !== '') throw new CommandError(`${name} must not contain a user or a password.`);
  if (!pathname.endsWith('/v1')) {
    throw new CommandError(`${name} is ${url?.origin}${pathname}: /v1 is missing at its end.`);
  }
}

function missingKey(stored: Partial<Settings>, baseUrl: string | undefined): string {
  const next = 'Run "listings login", or set PROPERTY_LISTINGS_API_KEY.';
  if (stored.apiKey === undefined || baseUrl === undefined) return `This needs an API key. ${next}`;
  return `The stored key is for ${stored.baseUrl} and is not sent to ${baseUrl}. ${next}`;
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}
