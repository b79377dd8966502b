import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const DEBIAN = '/usr/lib/postgresql';

/** Finds pgbench in PATH or in Debian's directories. */
export function findPgbench(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const directories = [
    ...(process.env.PATH ?? '').split(':'),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ];
  return directories.map((directory) => join(directory, 'pgbench')).find((path) => existsSync(path));
}

export type PgbenchRun = {
  program: string;
  url: string;
  directory: string;
  /** Each transaction runs one of these scripts at random. */
  scripts: readonly string[];
  clients: number;
  seconds: number;
};

/** @returns scripts per second */
export async function runPgbench({ program, url, directory, scripts, clients, seconds }: PgbenchRun): Promise<number> {
  const files = scripts.map((script, index) => {
    const file = join(directory, `script-${index}.sql`);
    writeFileSync(file, script);
    return ['-f', file];
  });
  const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds)];
  const { stdout } = await promisify(execFile)(program, [...options, ...files.flat(), url]);
  const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  const failed = Number(/^number of failed transactions: (\d+)/m.exec(stdout)?.[1] ?? 0);
  if (!(rate > 0) || failed > 0) throw new Error(`pgbench failed: ${stdout}`);
  return rate;
}
