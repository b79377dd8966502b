import { parentPort } from 'node:worker_threads';
import { setThreadPriority } from '../../lib/thread-priority.ts';
import { AppError, toPlainError } from '../../model/errors.ts';
import { csvFile } from './csv-rows.ts';
import { FileBody } from './file-body.ts';
import { FileEndError, type FileFormat, readRows } from './file-rows.ts';
import { jsonFile } from './json-rows.ts';
import type { ReadingStart } from './reading.ts';

/** A lower priority than that of requests, and the same as that of searches on SQLite (`reader-thread.ts`). */
const NICE = 5;

setThreadPriority(NICE);
parentPort?.on('message', (start: ReadingStart) => void readFile(start));

async function readFile(start: ReadingStart): Promise<void> {
  const { port } = start;
  const body = new FileBody(start);
  try {
    const format = formatOf(start, body);
    for await (const rows of readRows(body.chunks(), format, start.hasAllDetails)) await body.pass(rows);
    body.send({ is: 'end', fingerprint: body.fingerprint(), warnings: format.warnings() });
  } catch (error) {
    if (start.isFeed && error instanceof FileEndError) {
      body.send({ is: 'failed', error: { ...toPlainError(error), code: 'feed_guard' } });
    } else if (error instanceof AppError) body.send({ is: 'failed', error: toPlainError(error) });
    else body.send({ is: 'crashed', stack: error instanceof Error ? String(error.stack) : String(error) });
  } finally {
    // Frees the hashes' memory now, because writing the feed takes as long as reading it.
    body.known.clear();
    port.close();
  }
}

function formatOf(start: ReadingStart, body: FileBody): FileFormat<unknown> {
  if (start.mediaType !== 'text/csv') return jsonFile(start);
  return csvFile(start, { known: body.known, onHeader: (header) => body.send({ is: 'header', header }) });
}
