import type { Logger } from 'pino';
import { type Config, ConfigError, type Environment, readConfig, readEnvironment } from '../../config.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Exchanges the workers for new ones with the settings of now, as often as it is asked for. */
export class Reload {
  readonly #pool: WorkerPool;
  readonly #config: Config;
  readonly #given: Environment;
  readonly #logger: Logger;
  #isAllowed = false;
  #isAsked = false;
  #isRunning = false;

  /** `config` and `given` are the settings and the environment of the start. */
  constructor(pool: WorkerPool, config: Config, given: Environment, logger: Logger) {
    this.#pool = pool;
    this.#config = config;
    this.#given = given;
    this.#logger = logger;
  }

  /** Asked several times while one runs, there is one more. */
  ask(): void {
    this.#isAsked = true;
    void this.#run();
  }

  /** From now on, and if it has been asked for before. */
  allow(): void {
    this.#isAllowed = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    if (!this.#isAllowed || this.#isRunning) return;
    this.#isRunning = true;
    while (this.#isAsked) {
      this.#isAsked = false;
      await this.#exchange();
    }
    this.#isRunning = false;
  }

  async #exchange(): Promise<void> {
    const before = { ...process.env };
    try {
      const environment = readEnvironment(this.#given);
      const { workers = 1, logLevel } = this.#check(readConfig(environment));
      this.#logger.info({ workers }, 'reloading');
      this.#logger.level = logLevel;
      // Workers get the environment of this process.
      replaceEnvironment(environment);
      await this.#pool.replaceAll(workers);
      this.#logger.info('reloaded');
    } catch (error) {
      if (this.#pool.isStopping) return;
      replaceEnvironment(before);
      if (error instanceof ConfigError) this.#logger.error(`not reloaded: ${error.message}`);
      else this.#logger.error({ err: error }, 'not reloaded: the workers that are not replaced go on');
    }
  }

  /** @throws {ConfigError} for what all processes must have in common at any time */
  #check(config: Config): Config {
    const isOfStart =
      config.databaseUrl === this.#config.databaseUrl && config.dataDirectory === this.#config.dataDirectory;
    if (isOfStart) return config;
    throw new ConfigError('DATABASE_URL or DATA_DIR is another; only a restart takes another database.');
  }
}

function replaceEnvironment(environment: Environment): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(environment, name)) delete process.env[name];
  Object.assign(process.env, environment);
}
