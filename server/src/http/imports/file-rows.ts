import { BrokenFileError, type FileRecord, type Splitter } from '../../lib/records.ts';
import { ownTurn } from '../../lib/turns.ts';
import { AppError } from '../../model/errors.ts';
import type { FileWarning, ReadRow } from './reading.ts';

/** The number of bytes that are split into records at a time, which takes at most a few milliseconds. */
const PIECE_BYTES = 16 * 1024;
/** Time slice per file; the thread's other files then take their turn. */
const SLICE_MAX_MS = 2;
/** Maximum rows per batch, to bound its memory: a row's issues can take more memory than the row itself. */
const BATCH_ROWS_MAX = 500;
/** Maximum number of issues in a report; later rows with issues are only counted, unless all details are requested. */
const DETAILS_MAX = 100;

export interface FileFormat<T> {
  splitter: Splitter<T>;
  /**
   * Returns undefined for a record that is not a row. With `hasDetails`, an error lists each invalid field.
   * @throws {AppError} if no row of the file can be read
   */
  toRow(record: FileRecord<T>, hasDetails: boolean): ReadRow | undefined;
  /** Called at the end of the file. @throws {FileEndError} if the file has no header */
  end?(): void;
  /** What is probably wrong with the rows that have been read. */
  warnings(): FileWarning[];
}

/** An error of a file that does not have a header or is cut short. */
export class FileEndError extends AppError {}

const LINE_BREAKS: ReadonlySet<number | undefined> = new Set([0x0a, 0x0d]);

/**
 * Reads the rows of a file in batches. A batch ends when its chunk ends, because the next chunk can take a
 * long time to arrive.
 * @throws {AppError} `invalid_json` or `import_failed` for an unreadable row, after the rows before it; or
 * any error from `chunks`, `toRow`, and `end`. All errors have the member `line`.
 */
export async function* readRows<T>(
  chunks: AsyncIterable<Buffer>,
  { splitter, toRow, end }: FileFormat<T>,
  hasAllDetails: boolean,
): AsyncGenerator<ReadRow[]> {
  const reader = new RowReader(toRow, hasAllDetails ? Number.POSITIVE_INFINITY : DETAILS_MAX);
  let lastByte: number | undefined;
  let isEnding = false;
  try {
    for await (const chunk of rejectUtf16(chunks)) {
      lastByte = chunk.at(-1);
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        yield* reader.read(splitter.push(chunk.subarray(start, start + PIECE_BYTES)));
      }
      yield* reader.flush();
    }
    isEnding = true;
    yield* reader.read(await splitter.end(), !LINE_BREAKS.has(lastByte));
    yield* reader.flush();
    end?.();
  } catch (error) {
    yield* reader.flush();
    throw describeBreak(error, splitter.line, isEnding);
  }
}

/** Rejects UTF-16, recognized by a byte order mark or a zero byte at the start. @throws {AppError} `import_failed` */
async function* rejectUtf16(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start.length < 2) start = Buffer.concat([start, chunk.subarray(0, 2)]);
    const [first, second] = start;
    const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (hasMark || first === 0 || second === 0) throw new AppError('import_failed', UTF16);
    yield chunk;
  }
}

const UTF16 = 'The file is in UTF-16, which spreadsheets call Unicode text; save it as UTF-8.';

class RowReader<T> {
  readonly #toRow: FileFormat<T>['toRow'];
  #rows: ReadRow[] = [];
  readonly #detailsMax: number;
  #details = 0;

  constructor(toRow: FileFormat<T>['toRow'], detailsMax: number) {
    this.#toRow = toRow;
    this.#detailsMax = detailsMax;
  }

  /** Yields full batches. `isOpen`: the last record does not end with a line break, so it might be cut off. */
  async *read(records: Iterable<FileRecord<T>>, isOpen = false): AsyncGenerator<ReadRow[]> {
    await ownTurn();
    let sliceEndMs = performance.now() + SLICE_MAX_MS;
    for (const record of records) {
      const row = this.#toRow(record, this.#details < this.#detailsMax);
      const isCut = isOpen && row !== undefined && 'possibleIds' in row;
      if (row !== undefined) this.#rows.push(isCut ? { ...row, isCut } : row);
      this.#details += countDetails(row);
      if (this.#rows.length === BATCH_ROWS_MAX) yield* this.flush();
      if (performance.now() < sliceEndMs) continue;
      await ownTurn();
      sliceEndMs = performance.now() + SLICE_MAX_MS;
    }
  }

  *flush(): Generator<ReadRow[]> {
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    yield rows;
  }
}

function countDetails(row: ReadRow | undefined): number {
  if (row === undefined || !('issue' in row || 'patch' in row)) return 0;
  const issue = 'issue' in row ? row.issue : row.patch;
  return typeof issue === 'string' ? 0 : (issue.details?.length ?? 0);
}

function describeBreak(error: unknown, line: number, isEnding: boolean): unknown {
  if (error instanceof FileEndError) {
    return new FileEndError(error.code, error.message, { members: { line, ...error.members } });
  }
  if (error instanceof AppError) return error.with({ line });
  if (!(error instanceof BrokenFileError)) return error;
  const { message, offset } = error;
  const Kind = isEnding ? FileEndError : AppError;
  if (offset === undefined) return new Kind('import_failed', `${message}.`, { members: { line } });
  return new Kind('invalid_json', `${message}, at byte ${offset}.`, { members: { line, offset } });
}
