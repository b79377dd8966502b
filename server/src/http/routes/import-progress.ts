import type { FullPrincipal } from '../../domain/access/principals.ts';
import type { RowFailure } from '../../domain/imports/import-report.ts';
import type { Import } from '../../domain/imports/imports.ts';
import { AppError } from '../../model/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import type { ImportQuery } from '../contract/operations/imports.ts';
import type { Admitted } from '../protocol/exchange.ts';
import { errorBody, type Reply } from '../protocol/reply.ts';
import { streamLines } from '../protocol/stream-lines.ts';
import type { Services } from '../services.ts';

export interface ImportRequest {
  exchange: Admitted;
  actor: FullPrincipal;
  query: ImportQuery;
  key: string | undefined;
  mediaType: string;
  services: Services;
}

/** Called with the number of rows that have been processed. */
export type OnRows = (count: number) => Promise<void>;

type Run = (request: ImportRequest, onFailure: Import['onFailure'], onRows: OnRows) => Promise<Reply>;

/** Short enough to watch, but long enough that few lines wait if a client sends its whole body before it reads them. */
const INTERVAL_MS = 500;
/** Maximum number of failures in the report: more than a user would fix by hand. */
const ERRORS_MAX = 10_000;
/** Maximum length of these failures as JSON, which bounds memory. */
const ERRORS_LENGTH_MAX = 4 * 1024 * 1024;

/** Sends the number of processed rows while the import runs, and then the report or the error. */
export async function streamProgress(request: ImportRequest, run: Run): Promise<Reply> {
  const { query, mediaType, exchange } = request;
  if (query.atomic || mediaType === JSON_TYPE) throw progressRejected();
  const errors: string[] = [];
  let room = ERRORS_LENGTH_MAX;
  const onFailure = async (failure: RowFailure) => {
    const text = JSON.stringify(failure);
    room -= text.length;
    if (errors.length < ERRORS_MAX && room >= 0) errors.push(text);
  };
  const reply = await streamLines(exchange, mediaType, async (write) => {
    let toldMs = performance.now();
    let hasBegun = false;
    const onRows = async (rows: number) => {
      if (performance.now() - toldMs < INTERVAL_MS) return;
      toldMs = performance.now();
      hasBegun = true;
      await write(`${JSON.stringify({ rows })}\n`);
    };
    try {
      const { body } = await run(request, onFailure, onRows);
      const counts = JSON.stringify({ ...JSON.parse(String(body)), errors: undefined });
      await write(`${counts.slice(0, -1)},"errors":[${errors.join()}]}\n`);
    } catch (error) {
      // Before the first line, the error still gets a response with its own status.
      if (!hasBegun || !(error instanceof AppError)) throw error;
      await write(`${errorBody(error, exchange.requestId)}\n`);
    }
  });
  // Compression would delay the lines.
  return { ...reply, isCompressible: false };
}

/** Each time that the next rows are requested, reports how many rows have been processed. */
export async function* withProgress<Row>(batches: AsyncIterable<Row[]>, onRows: OnRows): AsyncGenerator<Row[]> {
  let count = 0;
  for await (const rows of batches) {
    yield rows;
    count += rows.length;
    await onRows(count);
  }
}

function progressRejected(): AppError {
  const message = 'Requires Accept: application/x-ndjson, and cannot be combined with atomic=true.';
  const details = [{ field: 'query.progress', code: 'inconsistent' as const, message }];
  return new AppError('invalid_query', `query.progress: ${message}`, { details });
}
