/** `failure` and `needsKey` are the codes that GitHub's `gh` uses; 2 is the usual code for incorrect usage. */
export const EXIT = { failure: 1, usage: 2, guard: 3, needsKey: 4 } as const;

/** An error that the user can fix, or that ends a command that the user canceled. Only the message is shown. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}
