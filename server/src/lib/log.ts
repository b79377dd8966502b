import type { Logger } from 'pino';

/** Where the program says what happens. */
export interface Log {
  logger: Logger;
  /** Takes a line that is already in the logger's format, with its line feed. */
  writeLine(line: string): void;
}
