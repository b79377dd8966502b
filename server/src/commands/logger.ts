import { type Logger, pino } from 'pino';

/** Lines are gathered so far before they are written: a write for each would cost more than the request. */
const BUFFER_BYTES = 4096;
const FLUSH_INTERVAL_MS = 500;

/** JSON lines on stdout; in a terminal, short ones for people. */
export function createLogger(level: string): Logger {
  if (process.stdout.isTTY) {
    return pino({ level }, { write: (line: string) => process.stdout.write(readable(JSON.parse(line))) });
  }
  const destination = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  setInterval(() => logger.flush(), FLUSH_INTERVAL_MS).unref();
  return logger;
}

/** Writes what is still gathered. */
export function flushLogger(logger: Logger): Promise<void> {
  return new Promise((resolve) => logger.flush(() => resolve()));
}

interface LogLine {
  level: number;
  time: number;
  msg: string;
  method?: string;
  path?: string;
  status?: number;
  durationMs?: number;
  requestId?: string;
  err?: { stack: string };
}

function readable({ level, time, msg, method, path, status, durationMs, requestId, err }: LogLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const word = pino.levels.labels[level] ?? '';
  const text = method === undefined ? msg : `${method} ${path} ${status} ${durationMs} ms ${requestId}`;
  return `${clock} ${word} ${text}${err === undefined ? '' : `\n${err.stack}`}\n`;
}
