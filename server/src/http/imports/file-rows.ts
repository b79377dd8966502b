import { BrokenFileError, type FileRecord, type Splitter } from '../../lib/records.ts';
import { ownTurn } from '../../lib/turns.ts';
import { AppError } from '../../model/errors.ts';
import type { ReadRow } from './reading.ts';

/** What is cut into records at a time: at most a few milliseconds, whatever it holds. */
const PIECE_BYTES = 16 * 1024;
/** How long rows are read before the other files of the thread have their turn. */
const SLICE_MAX_MS = 2;
/** Rows that are passed on together: a fault takes more room than the two bytes that it may be about. */
const BATCH_ROWS_MAX = 500;
/** A report names so many faults at most: of the rows behind them it is only told that they have some. */
const DETAILS_MAX = 100;

/** What a kind of file is made of. */
export interface FileFormat<T> {
  splitter: Splitter<T>;
  /**
   * What a record says; nothing if it does not count as a row. `hasDetails`: whether a fault names each field.
   * @throws {AppError} if no row of the file can be read
   */
  toRow(record: FileRecord<T>, hasDetails: boolean): ReadRow | undefined;
  /** Looks at what is missing once the file is over. @throws {AppError} if no row of it could be read */
  end?(): void;
}

/**
 * The rows of a file, in batches: those that end in one chunk, since the next one may be long in coming.
 * @throws {AppError} `invalid_json` or `import_failed` where the file cannot be read on, after the rows before it; what
 * `chunks` and `toRow` throw. All of them have the `line` as a member.
 */
export async function* readRows<T>(
  chunks: AsyncIterable<Buffer>,
  { splitter, toRow, end }: FileFormat<T>,
): AsyncGenerator<ReadRow[]> {
  const reader = new RowReader(toRow);
  try {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        yield* reader.read(splitter.push(chunk.subarray(start, start + PIECE_BYTES)));
      }
      yield* reader.flush();
    }
    yield* reader.read(await splitter.end());
    yield* reader.flush();
    end?.();
  } catch (error) {
    yield* reader.flush();
    throw describeBreak(error, splitter.line);
  }
}

/** Reads records in slices of time, and gathers their rows. */
class RowReader<T> {
  readonly #toRow: FileFormat<T>['toRow'];
  #rows: ReadRow[] = [];
  #details = 0;

  constructor(toRow: FileFormat<T>['toRow']) {
    this.#toRow = toRow;
  }

  /** The batches that became full. @throws what the records and `toRow` throw */
  async *read(records: Iterable<FileRecord<T>>): AsyncGenerator<ReadRow[]> {
    await ownTurn();
    let sliceEndMs = performance.now() + SLICE_MAX_MS;
    for (const record of records) {
      const row = this.#toRow(record, this.#details < DETAILS_MAX);
      if (row !== undefined) this.#rows.push(row);
      this.#details += countDetails(row);
      if (this.#rows.length === BATCH_ROWS_MAX) yield* this.flush();
      if (performance.now() < sliceEndMs) continue;
      await ownTurn();
      sliceEndMs = performance.now() + SLICE_MAX_MS;
    }
  }

  /** The rows that were gathered, if any. */
  *flush(): Generator<ReadRow[]> {
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    yield rows;
  }
}

function countDetails(row: ReadRow | undefined): number {
  if (row === undefined) return 0;
  const issue = 'issue' in row ? row.issue : row.input;
  return typeof issue === 'string' ? 0 : (issue.details?.length ?? 0);
}

function describeBreak(error: unknown, line: number): unknown {
  if (error instanceof AppError) return error.with({ line });
  if (!(error instanceof BrokenFileError)) return error;
  const { message, offset } = error;
  if (offset === undefined) return new AppError('import_failed', `${message}.`, { members: { line } });
  return new AppError('invalid_json', `${message}, at byte ${offset}.`, { members: { line, offset } });
}
