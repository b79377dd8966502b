import { type Config, ConfigError } from '../config.ts';
import { findSetupState, renewSetupLink, setUp } from '../domain/setup.ts';
import { SetupLink } from '../http/identity/setup-link.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';

/** What the first account is called if the settings make the first administrator: it can be changed. */
const FIRST_ACCOUNT_NAME = 'My company';
const FIRST_ADMINISTRATOR_NAME = 'Administrator';

/** How people come in. */
export interface Addresses {
  /** How they reach the service. */
  publicUrl: string;
  /** By which the first administrator comes in; undefined when there is one. */
  setupUrl: string | undefined;
}

export interface Preparation {
  /** To be called when the service listens at `url`: writes the setup link into its file. */
  announce(url: string): Addresses;
  /** To be called when the service has stopped: the file goes. */
  end(): void;
}

/**
 * What is done once at each start, however many processes then serve: looks whether the database is sound, and makes the
 * first administrator that the settings name, or a setup link.
 * @throws {ConfigError} for an address or a password that cannot be; {AppError} `unavailable` for a damaged database
 */
export async function prepareStart(database: Database, config: Config, log: Log): Promise<Preparation> {
  database.requireSound?.();
  const setupToken = await prepareSetup(database, config, log);
  const setupLink = new SetupLink(config.dataDirectory, log);
  return {
    announce(url) {
      const publicUrl = config.publicUrl ?? reachable(url);
      const setupUrl = setupToken && `${publicUrl}/setup#token=${setupToken}`;
      setupLink.replace(setupUrl);
      return { publicUrl, setupUrl };
    },
    end: () => setupLink.remove(),
  };
}

/** Makes the first administrator that the settings name; where there is none, the token of a new setup link. */
async function prepareSetup(database: Database, config: Config, { logger }: Log): Promise<string | undefined> {
  const { firstAdministrator } = config;
  const { isOpen } = await findSetupState(database);
  if (!isOpen) return undefined;
  if (firstAdministrator !== undefined) {
    const names = { name: FIRST_ADMINISTRATOR_NAME, accountName: FIRST_ACCOUNT_NAME };
    const user = await setUp(database, { ...firstAdministrator, ...names }, null).catch(explainSetup);
    if (user !== undefined) logger.info({ email: user.email }, 'the first administrator was made, as ADMIN_EMAIL says');
  }
  // A database that cannot be written may still be read.
  return await renewSetupLink(database).catch((error: unknown) => {
    logger.error({ err: error }, 'there is no setup link');
    return undefined;
  });
}

/** Another process that starts at the same time may have been first. */
function explainSetup(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'conflict') return undefined;
  if (!(error instanceof AppError && error.code === 'validation_failed')) throw error;
  throw new ConfigError(`ADMIN_EMAIL and ADMIN_PASSWORD cannot be used: ${error.message}`);
}

/** Every interface is listened on, but nobody can call it by that address. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
