import type { Logger } from 'pino';

export interface Log {
  logger: Logger;
  /** Takes a line in the logger's format, with its line feed. */
  writeLine(line: string): void;
}
