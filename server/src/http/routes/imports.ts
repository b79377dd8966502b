import { importAtomically } from '../../domain/imports/atomic-imports.ts';
import type { ImportReport } from '../../domain/imports/import-report.ts';
import { type Import, importRows } from '../../domain/imports/imports.ts';
import { getActingAccount } from '../../domain/writing/writing.ts';
import { AppError } from '../../model/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { importOperation, KEY_WITHOUT_ATOMIC } from '../contract/operations/imports.ts';
import { endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { ATOMIC_BYTES_MAX, HeldBytes } from '../gate/held-bytes.ts';
import { fileTooLarge } from '../imports/file-body.ts';
import type { FileReading } from '../imports/file-reading.ts';
import type { ReadingRequest } from '../imports/reading.ts';
import { readUpload } from '../imports/upload.ts';
import { fingerprintStart, readIdempotencyKey, replayHeaders } from '../protocol/idempotency.ts';
import { bodyEncoding, bodyType } from '../protocol/negotiate.ts';
import type { Reply } from '../protocol/reply.ts';
import { streamLines } from '../protocol/stream-lines.ts';
import { type ImportRequest, type OnRows, streamProgress, withProgress } from './import-progress.ts';

export const importEndpoints = [
  endpoint(importOperation, async (exchange, { query, mediaType, services }) => {
    const key = readIdempotencyKey(exchange.incoming);
    if (key !== undefined && !query.atomic) throw keyRejected(KEY_WITHOUT_ATOMIC);
    if (key !== undefined && query.dryRun) throw keyRejected(KEY_OF_DRY_RUN);
    if (query.atomic && Number(exchange.incoming.headers['content-length']) > ATOMIC_BYTES_MAX)
      throw fileTooLarge(ATOMIC_BYTES_MAX);
    const actor = requireFullAccess(exchange.principal);
    const request = { exchange, actor, query, key, mediaType, services };
    if (query.progress) return streamProgress(request, run);
    if (mediaType === JSON_TYPE || query.atomic) return run(request);
    return streamLines(exchange, mediaType, async (write) => {
      const { body } = await run(request, (failure) => write(`${JSON.stringify(failure)}\n`));
      await write(String(body));
    });
  }),
];

/** `onFailure` is called for each failed row of an import that is not atomic. */
function run(request: ImportRequest, onFailure?: Import['onFailure'], onRows?: OnRows): Promise<Reply> {
  const { exchange, query, services } = request;
  return services.uploadGate.run(exchange, async (signal) => {
    const reading = await toReadingRequest(request, onFailure !== undefined);
    using file = services.readingThreads.open(exchange.principal.accountId, reading);
    const upload = { ...request, file, signal, onFailure, onRows };
    // `await` is necessary, because `file` is disposed of at the end of this block.
    if (!query.atomic) return await importSome(upload);
    return await services.uploadGate.keepFile(exchange, () => importAll(upload), signal);
  });
}

interface Upload extends ImportRequest {
  file: FileReading;
  signal: AbortSignal;
  onFailure: Import['onFailure'];
  onRows: OnRows | undefined;
}

async function importSome(upload: Upload): Promise<Reply> {
  const { exchange, file, mediaType, services } = upload;
  const { database, log } = services;
  const { requestId } = exchange;
  const report = await importRows(database, toImport(upload), (error) =>
    log.logger.error({ err: error, requestId }, 'an import is missing from the audit log'),
  );
  return replyReport({ ...report, ...file.warnings }, mediaType);
}

async function importAll(upload: Upload): Promise<Reply> {
  const { exchange, file, key, mediaType, services } = upload;
  using held = new HeldBytes();
  const { outcome, isReplayed, sequence } = await importAtomically(
    services.database,
    toImport(upload, (bytes) => held.add(bytes)),
    () => {
      const { fingerprint } = file;
      return key === undefined || fingerprint === undefined ? undefined : { key, fingerprint };
    },
  );
  exchange.sequence = sequence;
  return replyReport({ ...outcome, ...file.warnings }, mediaType, replayHeaders(isReplayed));
}

function toImport(upload: Upload, onBytes?: (bytes: number) => void): Import {
  const { exchange, actor, query, file, signal, onFailure, onRows } = upload;
  const batches = file.rows((stop) => readUpload(exchange, stop), signal, onBytes);
  return {
    actor,
    batches: onRows === undefined ? batches : withProgress(batches, onRows),
    isDryRun: query.dryRun ?? false,
    onCommit(sequence) {
      exchange.sequence = sequence;
    },
    onFailure,
    signal,
  };
}

async function toReadingRequest(request: ImportRequest, hasAllDetails: boolean): Promise<ReadingRequest> {
  const { exchange, query, key, services } = request;
  const { headers } = exchange.incoming;
  const { clean = false, dates, decimal, ignoreUnknown = false, mode = 'merge', atomic } = query;
  const { 'map[COLUMN]': map, 'values[FIELD:WORD]': values, 'defaults[FIELD]': defaults } = query;
  const account = clean ? await getActingAccount(services.database, exchange.principal) : undefined;
  return {
    mediaType: bodyType(headers),
    ...{ map: map ?? new Map(), values: values ?? new Map(), defaults: defaults ?? new Map() },
    ...{ clean, dates, decimal, ignoreUnknown, mode },
    units: account && { currency: account.currency, areaUnits: account.areaUnits },
    hasAllDetails,
    isFeed: false,
    isGzipped: bodyEncoding(headers) === 'gzip',
    bytesMax: atomic ? ATOMIC_BYTES_MAX : undefined,
    fingerprintStart: key === undefined ? undefined : fingerprintStart(exchange),
  };
}

function replyReport(report: ImportReport, mediaType: string, headers?: Record<string, string>): Reply {
  const body = `${JSON.stringify(report)}${mediaType === JSON_TYPE ? '' : '\n'}`;
  return { status: 200, headers: { 'Content-Type': mediaType, ...headers }, body, isCompressible: true };
}

const KEY_OF_DRY_RUN =
  'A dry run writes nothing and is always safe to repeat: leave out the Idempotency-Key, and keep it for the import.';

function keyRejected(message: string): AppError {
  return new AppError('invalid_idempotency_key', message);
}
