import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { arch, availableParallelism, platform, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { readRelease } from '../environment.ts';
import { AppError } from '../model/errors.ts';
import { inspectDatabase } from '../storage/inspect.ts';
import { runChecks } from './checks/checks.ts';
import { messageOf } from './checks/finding.ts';
import { addCommand, type OutputOptions, print } from './command.ts';

const DEFAULT_FILE = 'property-listings-support.json';
const LOG_LINES_MAX = 500;
/** The service writes shorter lines; a longer one is skipped, so that it does not fill the memory. */
const LINE_LENGTH_MAX = 1024 * 1024;
/** Only the owner can read the file, although it contains no secrets. */
const MODE = 0o600;

export function addSupportBundle(program: Command): void {
  addCommand(
    program,
    'support-bundle [file]',
    'write the information that a maintainer needs to help you, without secrets or listings; ' +
      `by default to ${DEFAULT_FILE}`,
  )
    .option('--log <file>', 'also include the last lines of this log file, except those about requests')
    .action(async (file: string = DEFAULT_FILE, options: OutputOptions & { log?: string }) => {
      const path = resolve(file);
      const bundle = {
        createdAt: new Date().toISOString(),
        version: readRelease(),
        node: process.versions.node,
        system: {
          platform: platform(),
          release: release(),
          arch: arch(),
          processors: availableParallelism(),
          memory: totalmem(),
        },
        checks: await runChecks(),
        ...(await describeService()),
        ...(options.log !== undefined && { log: await readLog(options.log) }),
      };
      await write(path, `${JSON.stringify(bundle, null, 2)}\n`);
      print({ file: path }, options, [`${path}: read it before you send it.`]);
    });
}

/** The settings without secrets, and the database's tables and sizes. */
async function describeService(): Promise<object> {
  try {
    const { given, databaseUrl } = readConfig();
    const inspection = await inspectDatabase(databaseUrl, { withTables: true }).catch((error) => ({
      error: messageOf(error),
    }));
    return { settings: given, database: inspection ?? null };
  } catch (error) {
    return { settings: { error: messageOf(error) } };
  }
}

/** The last lines of the log, except those about requests, whose paths can contain listing data. */
async function readLog(file: string): Promise<object[]> {
  const found: object[] = [];
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: LINE_LENGTH_MAX })) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_LENGTH_MAX) rest = '';
      found.push(...lines.flatMap(parseLine));
      found.splice(0, found.length - LOG_LINES_MAX);
    }
  } catch (error) {
    throw new AppError('not_found', `Cannot read the log ${file}: ${messageOf(error)}.`);
  }
  return [...found, ...parseLine(rest)].slice(-LOG_LINES_MAX);
}

function parseLine(line: string): object[] {
  // Skips most lines about requests without parsing them.
  if (line.includes('"method":"')) return [];
  try {
    const { level, time, msg, err, work, worker, method } = JSON.parse(line);
    if (method !== undefined) return [];
    return [{ level, time: new Date(time).toISOString(), msg, work, worker, ...(err && { error: err.stack }) }];
  } catch {
    return [];
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: MODE });
  } catch (error) {
    if (Object(error).code === 'EEXIST') throw new AppError('conflict', `${path} already exists; name another file.`);
    throw new AppError('unavailable', `Cannot write ${path}: ${messageOf(error)}.`);
  }
}
