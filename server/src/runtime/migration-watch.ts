import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import { describeMigration } from './migration-progress.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

/** Logs the progress of a migration of many listings, and responds to requests with 503 while the migration runs. */
export class MigrationWatch {
  readonly #config: Config;
  readonly #log: Log;
  #standIn: StandIn | undefined;
  #reason = '';

  constructor(config: Config, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  readonly tell = describeMigration(async (message) => {
    this.#log.logger.info(message);
    this.#reason = `The service is ${message}`;
    this.#standIn ??= await startStandIn(this.#config, this.#log, () => this.#reason);
  });

  /** Call this before the service listens. @returns the settings with the port that was used */
  async end(): Promise<Config> {
    const standIn = this.#standIn;
    this.#standIn = undefined;
    await standIn?.end();
    return { ...this.#config, port: standIn?.port ?? this.#config.port };
  }
}
