import type { Cores } from './machine.ts';

/** Where a run happens, and for how long. */
export type Place = {
  /** Temporary, removed by whoever made it: the database, the logs and the recordings. */
  directory: string;
  cores: Cores | undefined;
  rounds: number;
  /** How long each server is driven in a round. */
  seconds: number;
  /** Without it an SQLite file in the directory. */
  databaseUrl?: string;
  /** How many processes serve; without it one alone. */
  workers?: number;
};

/** Progress, for people: standard output has the table only. */
export function say(text: string): void {
  console.error(`${text} …`);
}
