import { importAtomically } from '../../domain/atomic-imports.ts';
import type { ImportReport } from '../../domain/import-report.ts';
import { type Import, importRows } from '../../domain/imports.ts';
import { AppError } from '../../model/errors.ts';
import { type ImportQuery, importOperation } from '../contract/operations/imports.ts';
import { endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { ATOMIC_BYTES_MAX, HeldBytes } from '../gate/held-bytes.ts';
import { fileTooLarge } from '../imports/file-body.ts';
import type { FileReading } from '../imports/file-reading.ts';
import type { ReadingRequest } from '../imports/reading.ts';
import { readUpload } from '../imports/upload.ts';
import type { Admitted } from '../protocol/exchange.ts';
import { fingerprintStart, readIdempotencyKey, replayHeaders } from '../protocol/idempotency.ts';
import { bodyEncoding, bodyType } from '../protocol/negotiate.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';

export const importEndpoints = [
  endpoint(importOperation, async (exchange, { query, services }) => {
    const { uploadGate, readingThreads } = services;
    const key = readIdempotencyKey(exchange.incoming);
    if (key !== undefined && !query.atomic) throw keyRejected(KEY_WITHOUT_ATOMIC);
    if (key !== undefined && query.dryRun) throw keyRejected(KEY_OF_DRY_RUN);
    if (query.atomic && Number(exchange.incoming.headers['content-length']) > ATOMIC_BYTES_MAX)
      throw fileTooLarge(ATOMIC_BYTES_MAX);
    requireFullAccess(exchange.principal);
    return uploadGate.run(exchange, async (signal) => {
      using file = readingThreads.open(exchange.principal.accountId, requestOf(exchange, query, key));
      const upload = { exchange, query, file, signal };
      // `await` is necessary, because `file` is disposed at the end of this block.
      return await (query.atomic ? importAll(upload, key, services) : importSome(upload, services));
    });
  }),
];

interface Upload {
  exchange: Admitted;
  query: ImportQuery;
  file: FileReading;
  signal: AbortSignal;
}

async function importSome(upload: Upload, { database, log }: Services): Promise<Reply> {
  const { requestId } = upload.exchange;
  const report = await importRows(database, toImport(upload), (error) =>
    log.logger.error({ err: error, requestId }, 'an import is missing from the audit log'),
  );
  return replyReport(report);
}

async function importAll(upload: Upload, key: string | undefined, { database }: Services): Promise<Reply> {
  const { exchange, file } = upload;
  using held = new HeldBytes(exchange.principal.accountId);
  const { outcome, isReplayed } = await importAtomically(
    database,
    toImport(upload, (bytes) => held.add(bytes)),
    () => {
      const { fingerprint } = file;
      return key === undefined || fingerprint === undefined ? undefined : { key, fingerprint };
    },
  );
  return replyReport(outcome, replayHeaders(isReplayed));
}

function toImport({ exchange, query, file, signal }: Upload, onBytes?: (bytes: number) => void): Import {
  return {
    actor: exchange.principal,
    batches: file.rows((stop) => readUpload(exchange, stop), signal, onBytes),
    isDryRun: query.dryRun ?? false,
    signal,
  };
}

function requestOf(exchange: Admitted, query: ImportQuery, key: string | undefined): ReadingRequest {
  const { headers } = exchange.incoming;
  const { 'map[COLUMN]': map = new Map(), clean = false, dates, ignoreUnknown = false, mode = 'merge', atomic } = query;
  return {
    mediaType: bodyType(headers),
    ...{ map, clean, dates, ignoreUnknown, mode },
    currency: undefined,
    hasAllDetails: false,
    hasValues: false,
    isFeed: false,
    isGzipped: bodyEncoding(headers) === 'gzip',
    bytesMax: atomic ? ATOMIC_BYTES_MAX : undefined,
    fingerprintStart: key === undefined ? undefined : fingerprintStart(exchange),
  };
}

function replyReport(report: ImportReport, headers?: Record<string, string>): Reply {
  return { ...replyJson(200, JSON.stringify(report), headers), isCompressible: true };
}

const KEY_WITHOUT_ATOMIC =
  'An import accepts an Idempotency-Key only with atomic=true. Give each row an externalId instead; then the file can be ' +
  'sent again at any time.';
const KEY_OF_DRY_RUN =
  'A dry run writes nothing and is always safe to repeat: leave out the Idempotency-Key, and keep it for the import.';

function keyRejected(message: string): AppError {
  return new AppError('invalid_idempotency_key', message);
}
