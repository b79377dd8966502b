import type { ImportReport } from '../../domain/import-report.ts';
import type { ImportRow } from '../../domain/import-rows.ts';
import { importAtomically, importRows } from '../../domain/imports.ts';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Services } from '../app.ts';
import { ATOMIC_BYTES_MAX, AtomicFile, fileTooLarge } from '../atomic-file.ts';
import { requireFullAccess } from '../authenticate.ts';
import type { Admitted } from '../exchange.ts';
import { readRows } from '../import-files.ts';
import { bodyEncoding, bodyType } from '../negotiate.ts';
import { addOperation, type Mount } from '../operations.ts';
import { JSON_TYPE, type Reply, replyJson } from '../reply.ts';
import { readIdempotencyKey, replayHeaders } from '../retry.ts';
import { csvFile } from '../schemas/csv-rows.ts';
import { jsonArrayFile, ndjsonFile } from '../schemas/import-rows.ts';
import { readUpload } from '../upload.ts';
import { CSV_TYPE, type ImportQuery, importOperation } from './imports.operations.ts';

export function addImports(mount: Mount, services: Services): void {
  const { database } = services;
  addOperation(mount, importOperation, async (exchange, query) => {
    requireCsv(exchange, query);
    const key = readIdempotencyKey(exchange.incoming);
    if (key !== undefined && !query.atomic) throw keyRefused(KEY_WITHOUT_ATOMIC);
    if (key !== undefined && query.dryRun) throw keyRefused(KEY_OF_DRY_RUN);
    if (query.atomic && Number(exchange.incoming.headers['content-length']) > ATOMIC_BYTES_MAX) throw fileTooLarge();
    requireFullAccess(exchange.holder);
    return query.atomic ? importAll(exchange, query, database, key) : importSome(exchange, query, services);
  });
}

async function importSome(exchange: Admitted, query: ImportQuery, { database, log }: Services): Promise<Reply> {
  const batches = readFile(readFileBytes(exchange), exchange, query);
  const rows = { actor: exchange.holder, batches, isDryRun: query.dryRun ?? false };
  const report = await importRows(database, rows, (error) =>
    log.logger.error({ err: error, requestId: exchange.requestId }, 'an import is not in the audit log'),
  );
  return replyReport(report);
}

async function importAll(
  exchange: Admitted,
  query: ImportQuery,
  database: Database,
  key: string | undefined,
): Promise<Reply> {
  using file = new AtomicFile(exchange);
  // No byte moves while the rows are written, which may take longer than a connection may be idle.
  exchange.incoming.socket.setTimeout(0);
  const batches = readFile(file.read(readFileBytes(exchange)), exchange, query);
  const rows = { actor: exchange.holder, batches, isDryRun: query.dryRun ?? false };
  const { outcome, isReplayed } = await importAtomically(database, rows, () => file.toRetry(key));
  return replyReport(outcome, replayHeaders(isReplayed));
}

function replyReport(report: ImportReport, headers?: Record<string, string>): Reply {
  return { ...replyJson(200, JSON.stringify(report), headers), isCompressible: true };
}

function readFileBytes(exchange: Admitted): AsyncIterable<Buffer> {
  return readUpload(exchange, bodyEncoding(exchange.incoming.headers) === 'gzip');
}

function readFile(
  chunks: AsyncIterable<Buffer>,
  { incoming }: Admitted,
  { ignoreUnknown = false }: ImportQuery,
): AsyncIterable<ImportRow[]> {
  const type = bodyType(incoming.headers);
  if (type === CSV_TYPE) return readRows(chunks, csvFile(ignoreUnknown));
  return readRows(chunks, type === JSON_TYPE ? jsonArrayFile() : ndjsonFile());
}

function requireCsv({ incoming }: Admitted, { ignoreUnknown }: ImportQuery): void {
  if (ignoreUnknown === undefined || bodyType(incoming.headers) === CSV_TYPE) return;
  const field = 'query.ignoreUnknown';
  const message = 'Is for the columns of CSV files only.';
  throw new AppError('invalid_query', `${field}: ${message}`, { details: [{ field, code: 'inconsistent', message }] });
}

const KEY_WITHOUT_ATOMIC =
  'An import takes an Idempotency-Key with atomic=true only: give each row an externalId instead, and run the file ' +
  'again whenever you like.';
const KEY_OF_DRY_RUN =
  'A dry run writes nothing and can be sent again as it is: leave the Idempotency-Key out, and keep it for the import.';

function keyRefused(message: string): AppError {
  return new AppError('invalid_idempotency_key', message);
}
