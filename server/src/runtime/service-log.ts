import { fstatSync } from 'node:fs';
import { pino } from 'pino';
import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';

/** Lines are buffered up to this size and at most for `GATHER_MS`: writing each would take longer than its request. */
const GATHERED_BYTES_MAX = 64 * 1024;
/** Up to this length, writes by several processes to one pipe are not interleaved (PIPE_BUF on Linux, pipe(7)). */
const SHARED_BYTES_MAX = 4096;
const GATHER_MS = 100;
/** Maximum UTF-8 bytes per UTF-16 code unit. Counting a line's bytes would take as long as copying them. */
const UTF8_BYTES_MAX = 3;
/** If this many bytes wait for the output to be read, further lines are dropped. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

export interface ServiceLog extends Log {
  flush(): void;
  /** Writes the remaining lines and closes the output. */
  end(): Promise<void>;
}

type LogSettings = Pick<Config, 'logLevel' | 'logsProbes'>;

/** Logs JSON lines to stdout, or short lines if stdout is a terminal. */
export function createLog(
  { logLevel: level, logsProbes }: LogSettings,
  role: 'only' | 'primary' | 'worker' = 'only',
): ServiceLog {
  const isShared = role !== 'only';
  const worker = role === 'worker' ? process.pid : undefined;
  const settings = { omitsProbes: !logsProbes, ...(worker && { worker }) };
  if (process.stdout.isTTY) {
    // The terminal may close before the service ends.
    process.stdout.on('error', () => {});
    const writeLine = (line: string) => void process.stdout.write(readable(JSON.parse(line)));
    return { ...settings, logger: pino({ level }, { write: writeLine }), writeLine, flush() {}, async end() {} };
  }
  const bytesMax = isShared ? SHARED_BYTES_MAX : GATHERED_BYTES_MAX;
  const output = pino.destination({
    dest: 1,
    sync: fstatSync(1).isFile(),
    maxLength: WAITING_BYTES_MAX,
    // Waiting lines are joined into writes of up to this size.
    ...(isShared && { maxWrite: bytesMax }),
  });
  // pino's own listener throws, but a full disk must not end the service.
  let failing = false;
  output.removeAllListeners('error').on('error', (error: Error) => {
    if (!failing) console.error(`log lines are lost: ${error.message}`);
    failing = true;
  });
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  output.on('drain', () => {
    failing = false;
  });
  // Bytes, because the garbage collector would take a fifth of the processor time to copy the waiting strings.
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
    ...settings,
    logger: pino({ level, base: worker === undefined ? null : { worker } }, { write: writeLine }),
    writeLine,
    flush() {
      writeGathered();
      // While writes fail, flushSync would retry forever, and so would pino's own flush at exit.
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
  err?: { stack: string };
  /** The members of a request's log line. */
  [member: string]: unknown;
}

function readable({ level, time, msg, err, ...line }: LogLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const word = pino.levels.labels[level] ?? '';
  const { method, path, status, code, durationMs, requestId, accountId, keyId } = line;
  const words = [method, path, status, code, `${durationMs} ms`, requestId, accountId, keyId];
  const text = method === undefined ? msg : words.filter((part) => part !== undefined).join(' ');
  return `${clock} ${word} ${text}${err === undefined ? '' : `\n${err.stack}`}\n`;
}
