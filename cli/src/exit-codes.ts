import type { Command } from 'commander';

/** As `gh` has them. */
export const EXIT = {
  failure: 1,
  usage: 2,
  needsKey: 4,
} as const;

/** What a person has to mend before the command can do anything; the message says how. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Wrong usage: says so with the way to the command's help. */
export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: EXIT.usage });
}
