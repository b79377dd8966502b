import type { Cores } from './machine.ts';

/** The settings of a run. */
export type Place = {
  /** A temporary directory for the database, logs, and recordings. */
  directory: string;
  cores: Cores | undefined;
  rounds: number;
  /** The duration of each measurement. */
  seconds: number;
  /** Default: an SQLite file in the directory. */
  databaseUrl?: string;
  /** Number of worker processes; default: a single process. */
  workers?: number;
  /** Further settings of the service. */
  settings?: Record<string, string>;
};

/** Prints progress to stderr, because stdout contains the report. */
export function say(text: string): void {
  console.error(`${text} …`);
}
