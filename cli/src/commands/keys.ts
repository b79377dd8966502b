import { createReadStream } from 'node:fs';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { filesBelow } from '../keys/files-below.ts';
import { findKeys } from '../keys/find-keys.ts';
import { readBlob, stagedFiles } from '../keys/staged-files.ts';
import { note, write } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';

const CHUNK_BYTES = 1024 * 1024;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('find leaked API keys').helpCommand(false);
  keys
    .command('scan')
    .description('find API keys in files by their checksums, without contacting the service')
    .argument('[paths...]', 'files or directories (default: .), without .git and node_modules; - for stdin')
    .option('--staged', 'scan the staged content that git would commit')
    .details(`
Prints PATH:LINE: plk_ABCD… for each key. The exit code is 1 if there is a key,
and 2 if a file cannot be read.

As .git/hooks/pre-commit:
  #!/bin/sh
  exec listings keys scan --staged`)
    .action(async (paths: string[], { staged }: { staged?: true }, command: Command) => {
      if (staged && paths.length > 0) command.usageError('--staged scans all staged files and does not accept paths.');
      const scan = new Scan();
      if (staged) await scan.scanStaged();
      else for (const path of paths.length > 0 ? paths : ['.']) await scan.scan(path);
      scan.end();
    });
}

class Scan {
  #found = 0;
  #unreadable = 0;

  async scan(path: string): Promise<void> {
    if (path === '-') return this.#read(path, process.stdin);
    for await (const file of filesBelow(path, (place, error) => this.#report(place, error))) {
      await this.#read(file, createReadStream(file, { highWaterMark: CHUNK_BYTES }));
    }
  }

  async scanStaged(): Promise<void> {
    for (const { path, blob } of await stagedFiles()) await this.#read(path, readBlob(blob));
  }

  end(): void {
    if (this.#found > 0) {
      note('Delete these keys in the dashboard (Settings → API) and create new ones: anyone who saw a key can use it.');
    }
    // Takes precedence over found keys, because the scan is incomplete.
    if (this.#unreadable > 0) process.exitCode = EXIT.usage;
  }

  async #read(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const { line, start } of findKeys(chunks)) {
        this.#found += 1;
        // Set the exit code before writing, because a closed stdout ends the process.
        process.exitCode = EXIT.failure;
        await write(`${toLine(path)}:${line}: ${start}\n`);
      }
    } catch (error) {
      this.#report(path, error);
    }
  }

  #report(path: string, error: unknown): void {
    this.#unreadable += 1;
    note(`error: Cannot read ${toLine(path)}: ${error instanceof Error ? error.message : error}`);
  }
}
