import { parentPort } from 'node:worker_threads';
import { setThreadPriority } from '../../lib/thread-priority.ts';
import { AppError, toPlainError } from '../../model/errors.ts';
import { FileBody } from './file-body.ts';
import { formatOf } from './file-formats.ts';
import { readRows } from './file-rows.ts';
import type { ReadingStart } from './reading.ts';

// A thread of `ReadingThreads`: unpacks files of any length and reads their rows, several files by turns.

/** Requests and searches go before files. */
const NICE = 5;

setThreadPriority(NICE);
parentPort?.on('message', (start: ReadingStart) => void readFile(start));

async function readFile(start: ReadingStart): Promise<void> {
  const { port, mediaType, ignoreUnknown } = start;
  const body = new FileBody(start);
  try {
    const format = formatOf(mediaType, ignoreUnknown);
    for await (const rows of readRows(body.chunks(), format)) await body.pass(rows);
    body.tell({ is: 'end', fingerprint: body.fingerprint() });
  } catch (error) {
    if (error instanceof AppError) body.tell({ is: 'failed', error: toPlainError(error) });
    else body.tell({ is: 'crashed', stack: error instanceof Error ? String(error.stack) : String(error) });
  } finally {
    port.close();
  }
}
