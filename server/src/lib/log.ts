import type { Logger } from 'pino';

export interface Log {
  logger: Logger;
  /** Writes a line in the logger's format; `line` includes the line feed. */
  writeLine(line: string): void;
  /** The id of this process if several write to the same log. */
  worker?: number;
  omitsProbes?: boolean;
}
