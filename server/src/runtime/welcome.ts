import type { Config } from '../config.ts';
import { type Environment, maskUrl, readRelease } from '../environment.ts';
import type { ServiceLog } from './service-log.ts';

interface Running {
  /** The address that the service listens on. */
  url: string;
  publicUrl: string;
  databaseName: string;
  setupUrl: string | undefined;
}

/** Announces the service's addresses. `given` is the environment that the service was started with. */
export function sayListening(running: Running, config: Config, given: Environment, { logger }: ServiceLog): void {
  const { url, publicUrl, databaseName, setupUrl } = running;
  if (process.stdout.isTTY) console.log(welcome(publicUrl, databaseName, shellSettings(given), setupUrl));
  // Not logged, since anyone with the link can become the administrator.
  else if (setupUrl !== undefined) console.error(`Set up the first administrator within 30 minutes: ${setupUrl}`);
  const { workers, given: settings, sendsWebhooks } = config;
  const program = { version: readRelease(), node: process.versions.node, pid: process.pid, workers };
  logger.info({ url, publicUrl: config.publicUrl, database: databaseName, ...program, settings }, 'listening');
  if (!sendsWebhooks) logger.warn('no webhooks are sent: WEBHOOKS is off');
}

/** The settings that commands in another terminal need to find the same database. A URL with secrets is not shown. */
function shellSettings(given: Environment): string {
  const { DATABASE_URL: url = '' } = given;
  const isSecret = url !== '' && maskUrl(url) !== url;
  const names = ['DATA_DIR', 'DATABASE_URL', 'DATABASE_URL_FILE'].filter((name) => given[name]);
  const shown = names.map((name) => (isSecret && name === 'DATABASE_URL' ? `${name}=… ` : `${name}='${given[name]}' `));
  return shown.join('');
}

function welcome(url: string, databaseName: string, settings: string, setupUrl: string | undefined): string {
  return `
  Property Listings is running.

  Dashboard  ${url}
  API        ${url}/v1
  Reference  ${url}/docs
  Database   ${databaseName}
${setupUrl === undefined ? '' : setup(setupUrl)}
  Create API keys in the dashboard, or in another terminal. Replace ACCOUNT_ID with the id from the first command:

    ${settings}npx property-listings accounts create --name "My Company"
    ${settings}npx property-listings keys create --name "My first key" --account ACCOUNT_ID

  Then replace API_KEY with the key, create a listing, and list all listings:

    curl ${url}/v1/listings -H "Authorization: Bearer API_KEY" \\
      -H "Content-Type: application/json" -d '{"address":"12 Elm Street","beds":3,"baths":2}'
    curl ${url}/v1/listings -H "Authorization: Bearer API_KEY"

  Press Ctrl-C to stop.
`;
}

function setup(url: string): string {
  return `
  Next, open this link to become the administrator; it works once, within 30 minutes:

    ${url}
`;
}
