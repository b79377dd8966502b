import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import { scheduleBackups } from '../maintenance/backups.ts';

type BackupConfig = Pick<Config, 'backups' | 'databaseUrl'>;

/** The scheduled backups of the service, in its first process. */
export class Backups {
  readonly #log: Log;
  #current: Config['backups'];
  #stop = async () => {};

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts the scheduled backups, or restarts them if their settings have changed. */
  async follow({ backups, databaseUrl }: BackupConfig): Promise<void> {
    if (isDeepStrictEqual(backups, this.#current)) return;
    await this.stop();
    this.#current = backups;
    const [, program = ''] = process.argv;
    if (backups !== undefined) this.#stop = scheduleBackups(backups, databaseUrl, program, this.#log.logger);
  }

  async stop(): Promise<void> {
    await this.#stop();
  }
}
