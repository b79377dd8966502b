import type { Config } from '../config.ts';
import { parseUser } from '../domain/accounts/administrators.ts';
import { findSetupState, renewSetupLink, setUp } from '../domain/accounts/setup.ts';
import { ConfigError } from '../environment.ts';
import { SetupLink } from '../http/identity/setup-link.ts';
import type { Log } from '../lib/log.ts';
import { AppError } from '../model/errors.ts';
import type { Database } from '../storage/database.ts';

/** Names for the account and the administrator that are created from the settings. Users can change both later. */
const FIRST_NAMES = { name: 'Administrator', accountName: 'My company' };

export interface Addresses {
  /** The URL at which clients reach the service. */
  publicUrl: string;
  /** The setup link; undefined if there is an administrator, or the link cannot be stored. */
  setupUrl: string | undefined;
}

export interface Preparation {
  /** Call this when the service listens at `url`: writes the setup link to its file. */
  announce(url: string): Addresses;
  /** Call this when the service has stopped: removes the setup link's file. */
  end(): void;
}

/**
 * Runs once per start, regardless of the number of processes: checks that the database is sound and, if there is no
 * administrator, creates one from the settings or creates a setup link.
 * @throws {ConfigError} for an invalid address or password, or {AppError} `unavailable` for a damaged database
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

/** @returns the token of a new setup link; undefined if there is an administrator, or the link cannot be stored */
async function prepareSetup(database: Database, config: Config, { logger }: Log): Promise<string | undefined> {
  const { firstAdministrator } = config;
  const { isOpen } = await findSetupState(database);
  if (!isOpen) return undefined;
  if (firstAdministrator !== undefined) {
    const user = await setUp(database, { ...firstAdministrator, ...FIRST_NAMES }, null).catch(explainSetup);
    if (user !== undefined) logger.info({ email: user.email }, 'created the first administrator from ADMIN_EMAIL');
  }
  // A service whose database is read-only can still respond to reads.
  return await renewSetupLink(database).catch((error: unknown) => {
    logger.error({ err: error }, 'could not create a setup link');
    return undefined;
  });
}

/** @throws {ConfigError} if the first administrator cannot be created from the settings */
export function requireFirstAdministrator({ firstAdministrator }: Config): void {
  if (firstAdministrator === undefined) return;
  try {
    parseUser({ ...firstAdministrator, ...FIRST_NAMES }, FIRST_NAMES.accountName);
  } catch (error) {
    explainSetup(error);
  }
}

/** Ignores `conflict`: another process that started at the same time has created the administrator. */
function explainSetup(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'conflict') return undefined;
  if (!(error instanceof AppError && error.code === 'validation_failed')) throw error;
  throw new ConfigError(`ADMIN_EMAIL and ADMIN_PASSWORD cannot be used: ${error.message}`);
}

/** Replaces the address that stands for all interfaces, because clients cannot connect to it. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
