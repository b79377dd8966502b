import { createReadStream } from 'node:fs';
import { describeKeyFault } from '@property-listings/client';
import type { Command } from 'commander';
import { EXIT, usageError } from '../exit-codes.ts';
import { filesBelow } from '../keys/files-below.ts';
import { findKeys } from '../keys/find-keys.ts';
import { readBlob, stagedFiles } from '../keys/staged-files.ts';
import { note, write } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';

/** A key in a file harms whoever it belongs to; what could not be looked at may have one. */
const EXIT_FOUND = EXIT.failure;
const EXIT_UNREADABLE = EXIT.usage;
const PIECE_BYTES = 1024 * 1024;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys that have leaked').helpCommand(false);
  keys
    .command('scan')
    .description('find API keys in files, by their checksums; asks no service')
    .argument('[paths...]', 'files, and directories (else .) with all below but .git and node_modules; - for stdin')
    .option('--staged', 'instead of files what git would commit now, whatever lies in the directory')
    .addHelpText(
      'after',
      `
A line PATH:LINE: plk_ABCD… for each key. The exit code is 1 if there is one, 2 if something could not be read.

As .git/hooks/pre-commit:
  #!/bin/sh
  exec listings keys scan --staged`,
    )
    .action(async (paths: string[], { staged }: { staged?: true }, command: Command) => {
      if (staged && paths.length > 0)
        usageError(command, 'With --staged give no paths: it looks at all that is staged.');
      const scan = new Scan();
      if (staged) await scan.lookAtStaged();
      else for (const path of paths.length > 0 ? paths : ['.']) await scan.look(path);
      scan.end();
    });
}

class Scan {
  #found = 0;
  #unreadable = 0;

  async look(path: string): Promise<void> {
    if (path === '-') return this.#read(path, process.stdin);
    for await (const file of filesBelow(path, (place, error) => this.#report(place, error))) {
      await this.#read(file, createReadStream(file, { highWaterMark: PIECE_BYTES }));
    }
  }

  async lookAtStaged(): Promise<void> {
    for (const { path, blob } of await stagedFiles()) await this.#read(path, readBlob(blob));
  }

  end(): void {
    if (this.#found > 0) {
      note(
        'Delete each of these keys in the dashboard (Settings → API) and make a new one: who has seen it can use it.',
      );
    }
    if (this.#unreadable > 0) process.exitCode = EXIT_UNREADABLE;
  }

  async #read(path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const { line, start } of findKeys(pieces, (text) => describeKeyFault(text) === undefined)) {
        this.#found += 1;
        // Also if the reader of the lines ends now.
        process.exitCode = EXIT_FOUND;
        await write(`${toLine(path)}:${line}: ${start}\n`);
      }
    } catch (error) {
      this.#report(path, error);
    }
  }

  #report(path: string, error: unknown): void {
    this.#unreadable += 1;
    note(`error: ${toLine(path)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
