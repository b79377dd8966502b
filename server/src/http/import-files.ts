import type { ImportRow } from '../domain/import-rows.ts';
import { BrokenFileError, type FileRecord, type Splitter } from '../lib/records.ts';
import { ownTurn } from '../lib/turns.ts';
import { AppError } from '../model/errors.ts';

/** What is cut into records at a time: less than a millisecond. */
const PIECE_BYTES = 32 * 1024;

/** How long rows are parsed before others have their turn. */
const SLICE_MAX_MS = 1;

/** What a kind of file is made of. */
export interface FileFormat<T> {
  splitter: Splitter<T>;
  /** What a record says; nothing if it is none that counts. @throws {AppError} if no row of the file can be read */
  toRow(record: FileRecord<T>): ImportRow | undefined;
  /** Looks at what is missing once the file is over. @throws {AppError} if no row of it could be read */
  end?(): void;
}

/**
 * The rows of a file, in batches: those that end in one piece of a chunk, since the next one may be long in coming.
 * @throws {AppError} `invalid_json` or `import_failed` where the file cannot be read on, after the rows before it; what
 * `chunks` and `toRow` throw. All of them have the `line` as a member.
 */
export async function* readRows<T>(
  chunks: AsyncIterable<Buffer>,
  { splitter, toRow, end }: FileFormat<T>,
): AsyncGenerator<ImportRow[]> {
  try {
    for await (const records of splitAll(chunks, splitter)) yield* toBatch(records, toRow);
    end?.();
  } catch (error) {
    throw describeBreak(error, splitter.line);
  }
}

async function* splitAll<T>(chunks: AsyncIterable<Buffer>, splitter: Splitter<T>) {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      yield splitter.push(chunk.subarray(start, start + PIECE_BYTES));
    }
  }
  yield await splitter.end();
}

/** One batch; if the records end with an error, it comes after those before it. */
async function* toBatch<T>(
  records: Iterable<FileRecord<T>>,
  toRow: (record: FileRecord<T>) => ImportRow | undefined,
): AsyncGenerator<ImportRow[]> {
  const rows: ImportRow[] = [];
  await ownTurn();
  let sliceEndMs = performance.now() + SLICE_MAX_MS;
  try {
    for (const record of records) {
      const row = toRow(record);
      if (row !== undefined) rows.push(row);
      if (performance.now() < sliceEndMs) continue;
      await ownTurn();
      sliceEndMs = performance.now() + SLICE_MAX_MS;
    }
  } finally {
    if (rows.length > 0) yield rows;
  }
}

function describeBreak(error: unknown, line: number): unknown {
  if (error instanceof AppError) return error.with({ line });
  if (!(error instanceof BrokenFileError)) return error;
  const { message, offset } = error;
  if (offset === undefined) return new AppError('import_failed', `${message}.`, { members: { line } });
  return new AppError('invalid_json', `${message}, at byte ${offset}.`, { members: { line, offset } });
}
