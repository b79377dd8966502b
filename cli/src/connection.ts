import { type ClientOptions, describeKeyFault, PropertyListings } from '@property-listings/client';
import type { Command } from './command.ts';
import { type CurlFiles, createCurlPrinter } from './curl.ts';
import { type Advice, adviceByOrigin } from './describe-error.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { readSettings, type Settings } from './settings.ts';

/** The client's settings, also for requests that the client does not offer, such as lists in other formats. */
export interface Service extends Settings, Pick<ClientOptions, 'fetch' | 'maxRetries'> {}

export interface CurlOptions {
  curl?: true;
}

type Work = (client: PropertyListings, service: Service) => Promise<void>;

export function withCurlOption(command: Command): Command {
  return command.option('--curl', 'print the request as a curl command with the key masked; send nothing');
}

/** Runs `work` with a client, or, with `--curl`, prints the first request of `work` and sends nothing. */
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

/** Checks the key before any request. @throws {CommandError} if it is malformed */
export function createClient(service: Service, advice: Advice = adviceByOrigin()): PropertyListings {
  const fault = describeKeyFault(service.apiKey);
  if (fault !== undefined) throw new CommandError(`${fault} ${advice.key}`, EXIT.needsKey);
  return new PropertyListings(service);
}

/** Reads the settings. Environment variables override the stored settings. */
async function getConnection(): Promise<Settings> {
  const { PROPERTY_LISTINGS_API_KEY: givenKey, PROPERTY_LISTINGS_BASE_URL: givenUrl } = process.env;
  // If both variables are set, do not read the settings file, which may be invalid.
  const stored = givenKey && givenUrl ? {} : await readSettings();
  const baseUrl = withoutSlash(givenUrl || stored.baseUrl);
  if (givenUrl && baseUrl !== undefined) checkGivenUrl(baseUrl);
  // Send a stored key only to the service that it was stored with.
  const isSameService = baseUrl === withoutSlash(stored.baseUrl);
  const apiKey = givenKey || (isSameService ? stored.apiKey : undefined);
  if (apiKey === undefined) throw new CommandError(missingKey(stored, baseUrl), EXIT.needsKey);
  if (baseUrl === undefined) {
    throw new CommandError(
      'The address of the service is missing. Run "listings login", or set PROPERTY_LISTINGS_BASE_URL.',
    );
  }
  return { baseUrl, apiKey };
}

/** The client also checks the URL, but its message does not name the environment variable. */
function checkGivenUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const { protocol = '', username = '', password = '', pathname = '' } = url ?? {};
  const name = 'PROPERTY_LISTINGS_BASE_URL';
  if (!/^https?:$/.test(protocol)) {
    throw new CommandError(`${name} must be an address such as https://listings.example.com/v1.`);
  }
  if (username !== '' || password !== '') throw new CommandError(`${name} must not contain a user or a password.`);
  if (!pathname.endsWith('/v1')) throw new CommandError(`${name} must end with /v1, but is ${url?.origin}${pathname}.`);
}

function missingKey(stored: Partial<Settings>, baseUrl: string | undefined): string {
  const next = 'Run "listings login", or set PROPERTY_LISTINGS_API_KEY.';
  if (stored.apiKey === undefined || baseUrl === undefined) return `An API key is required. ${next}`;
  return `The stored key belongs to ${stored.baseUrl} and is not sent to ${baseUrl}. ${next}`;
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}
