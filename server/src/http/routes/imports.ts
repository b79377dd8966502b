import { importRows } from '../../domain/imports.ts';
import { AppError } from '../../model/errors.ts';
import type { Services } from '../app.ts';
import { requireFullAccess } from '../authenticate.ts';
import type { KeyedExchange } from '../exchange.ts';
import { readRows } from '../import-files.ts';
import { bodyEncoding, bodyType } from '../negotiate.ts';
import { addOperation } from '../operations.ts';
import { JSON_TYPE, replyJson } from '../reply.ts';
import { readIdempotencyKey } from '../retry.ts';
import type { Routes } from '../routes.ts';
import { csvFile } from '../schemas/csv-rows.ts';
import { jsonArrayFile, ndjsonFile } from '../schemas/import-rows.ts';
import { readUpload } from '../upload.ts';
import { CSV_TYPE, type ImportQuery, importOperation } from './imports.operations.ts';

export function addImports(routes: Routes, { database }: Services): void {
  addOperation(routes, importOperation, async (exchange, query) => {
    const { headers } = exchange.incoming;
    const type = bodyType(headers);
    refuseIdempotencyKey(exchange);
    refuseIgnoreUnknown(query, type);
    requireFullAccess(exchange.holder);
    const chunks = readUpload(exchange, bodyEncoding(headers) === 'gzip');
    const report = await importRows(database, exchange.holder, readFile(chunks, type, query));
    return { ...replyJson(200, JSON.stringify(report)), isCompressible: true };
  });
}

function readFile(chunks: AsyncIterable<Buffer>, type: string, { ignoreUnknown = false }: ImportQuery) {
  if (type === CSV_TYPE) return readRows(chunks, csvFile(ignoreUnknown));
  return readRows(chunks, type === JSON_TYPE ? jsonArrayFile() : ndjsonFile());
}

function refuseIgnoreUnknown({ ignoreUnknown }: ImportQuery, type: string): void {
  if (ignoreUnknown === undefined || type === CSV_TYPE) return;
  const fault = {
    field: 'query.ignoreUnknown',
    code: 'inconsistent',
    message: 'Is for the columns of CSV files only.',
  } as const;
  throw new AppError('invalid_query', `${fault.field}: ${fault.message}`, { details: [fault] });
}

function refuseIdempotencyKey({ incoming }: KeyedExchange): void {
  if (readIdempotencyKey(incoming) === undefined) return;
  throw new AppError(
    'invalid_idempotency_key',
    'An import takes no Idempotency-Key: give each row an externalId, and run the file again whenever you like.',
  );
}
