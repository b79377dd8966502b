import { pino } from 'pino';
import type { Log } from '../lib/log.ts';

/** So many lines, or those of so long, are written at once: a write for each would cost more than its request. */
const GATHERED_LINES_MAX = 64;
const GATHER_MS = 100;
/** If nobody reads the output, lines are dropped beyond this instead of filling the memory. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

export interface ServiceLog extends Log {
  /** Writes what is still gathered. */
  flush(): void;
}

/** JSON lines on stdout; in a terminal, short ones for people. */
export function createLog(level: string): ServiceLog {
  if (process.stdout.isTTY) {
    const writeLine = (line: string) => void process.stdout.write(readable(JSON.parse(line)));
    return { logger: pino({ level }, { write: writeLine }), writeLine, flush() {} };
  }
  const output = pino.destination({ dest: 1, sync: false, maxLength: WAITING_BYTES_MAX });
  let gathered: string[] = [];
  const writeGathered = () => {
    if (gathered.length > 0) output.write(gathered.join(''));
    gathered = [];
  };
  setInterval(writeGathered, GATHER_MS).unref();
  const writeLine = (line: string) => {
    if (gathered.push(line) >= GATHERED_LINES_MAX) writeGathered();
  };
  return {
    logger: pino({ level, base: null }, { write: writeLine }),
    writeLine,
    flush() {
      writeGathered();
      output.flushSync();
    },
  };
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
