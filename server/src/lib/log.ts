import type { Logger } from 'pino';

export interface Log {
  logger: Logger;
  /** Writes a line in the logger's format; `line` includes the line feed. */
  writeLine(line: string): void;
  /** The process ID, if this process is a worker. */
  worker?: number;
  omitsProbes?: boolean;
}
