import { importRows } from '../../domain/imports.ts';
import { JsonArraySplitter } from '../../lib/json-array.ts';
import { LineSplitter } from '../../lib/lines.ts';
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
import { ROW_BYTES_MAX, toJsonRow } from '../schemas/import-rows.ts';
import { readUpload } from '../upload.ts';
import { importOperation } from './imports.operations.ts';

export function addImports(routes: Routes, { database }: Services): void {
  addOperation(routes, importOperation, async (exchange) => {
    refuseIdempotencyKey(exchange);
    requireFullAccess(exchange.holder);
    const { headers } = exchange.incoming;
    const chunks = readUpload(exchange, bodyEncoding(headers) === 'gzip');
    const splitter =
      bodyType(headers) === JSON_TYPE ? new JsonArraySplitter(ROW_BYTES_MAX) : new LineSplitter(ROW_BYTES_MAX);
    const report = await importRows(database, exchange.holder, readRows(chunks, { splitter, toRow: toJsonRow }));
    return replyJson(200, JSON.stringify(report));
  });
}

function refuseIdempotencyKey({ incoming }: KeyedExchange): void {
  if (readIdempotencyKey(incoming) === undefined) return;
  throw new AppError(
    'invalid_idempotency_key',
    'An import takes no Idempotency-Key: give each row an externalId, and run the file again whenever you like.',
  );
}
