import { fstatSync } from 'node:fs';
import { pino } from 'pino';
import type { Log } from '../lib/log.ts';

/** Lines are gathered so far, or so long, and written at once: a write for each would cost more than its request. */
const GATHERED_BYTES_MAX = 64 * 1024;
/** What several processes write into one pipe at a time is not mixed up to this length (PIPE_BUF of Linux, pipe(7)). */
const SHARED_BYTES_MAX = 4096;
const GATHER_MS = 100;
/** Of a UTF-16 code unit; to count a line's bytes would take as long as to copy them. */
const UTF8_BYTES_MAX = 3;
/** If nobody reads the output, lines are dropped beyond this instead of filling the memory. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

export interface ServiceLog extends Log {
  /** Writes what is still gathered. */
  flush(): void;
  /** As `flush`, after what is just being written: for the last lines, in their order. */
  end(): Promise<void>;
}

/** JSON lines on stdout; in a terminal, short ones for people. `isShared` if several processes write there. */
export function createLog(level: string, isShared = false): ServiceLog {
  if (process.stdout.isTTY) {
    // The terminal may be gone before the service.
    process.stdout.on('error', () => {});
    const writeLine = (line: string) => void process.stdout.write(readable(JSON.parse(line)));
    return { logger: pino({ level }, { write: writeLine }), writeLine, flush() {}, async end() {} };
  }
  const bytesMax = isShared ? SHARED_BYTES_MAX : GATHERED_BYTES_MAX;
  const output = pino.destination({
    dest: 1,
    sync: fstatSync(1).isFile(),
    maxLength: WAITING_BYTES_MAX,
    // The lines that wait are joined so far.
    ...(isShared && { maxWrite: bytesMax }),
  });
  // pino's own listener throws, and a full disk under the log must not end the service.
  let failing = false;
  output.removeAllListeners('error').on('error', (error: Error) => {
    if (!failing) console.error(`log lines are lost: ${error.message}`);
    failing = true;
  });
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  output.on('drain', () => {
    failing = false;
  });
  // Bytes, not strings: thousands of small strings that wait for the disk would be copied again and again by the
  // garbage collector (a fifth of the processor's time under full load).
  const gathered = Buffer.allocUnsafe(bytesMax);
  let length = 0;
  const writeGathered = () => {
    if (length > 0) output.write(gathered.toString('utf8', 0, length));
    length = 0;
  };
  const writeLine = (line: string) => {
    const bytesAtMost = line.length * UTF8_BYTES_MAX;
    if (bytesAtMost > gathered.length - length) writeGathered();
    if (bytesAtMost > gathered.length) output.write(line);
    else length += gathered.write(line, length);
  };
  setInterval(writeGathered, GATHER_MS).unref();
  return {
    logger: pino({ level, base: null }, { write: writeLine }),
    writeLine,
    flush() {
      writeGathered();
      // It would try again for ever, and so would pino's own flush when the process exits.
      if (failing) output.destroy();
      else output.flushSync();
    },
    async end() {
      if (failing) {
        output.destroy();
      } else {
        output.once('error', () => output.destroy());
        writeGathered();
        output.end();
      }
      await closed;
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
  accountId?: string;
  keyId?: string;
  code?: string;
  err?: { stack: string };
}

function readable({
  level,
  time,
  msg,
  method,
  path,
  status,
  durationMs,
  requestId,
  accountId,
  keyId,
  code,
  err,
}: LogLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const word = pino.levels.labels[level] ?? '';
  const words = [method, path, status, code, `${durationMs} ms`, requestId, accountId, keyId];
  const text = method === undefined ? msg : words.filter((part) => part !== undefined).join(' ');
  return `${clock} ${word} ${text}${err === undefined ? '' : `\n${err.stack}`}\n`;
}
