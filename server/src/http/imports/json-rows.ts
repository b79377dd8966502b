import type { PropertyPath } from '../../lib/json.ts';
import { JsonArraySplitter } from '../../lib/json-array.ts';
import { LineSplitter } from '../../lib/lines.ts';
import { isObject } from '../../lib/merge-patch.ts';
import type { FileRecord } from '../../lib/records.ts';
import { AppError } from '../../model/errors.ts';
import { parseListing } from '../contract/schemas/parse-listing.ts';
import { type Target, type Targets, targetsOf, toOurChoice } from '../contract/schemas/targets.ts';
import { parseBody } from '../protocol/body.ts';
import type { FileFormat } from './file-rows.ts';
import type { ReadingRequest, ReadRow } from './reading.ts';
import { RowBuilder } from './row.ts';
import type { RowValues } from './row-values.ts';

/** The documented maximum size of one row. */
export const ROW_BYTES_MAX = 1024 * 1024;

/** Files whose rows are JSON objects, one per line or in an array. */
export function jsonFile(request: ReadingRequest): FileFormat<Buffer> {
  const isArray = request.mediaType === 'application/json';
  const splitter = isArray ? new JsonArraySplitter(ROW_BYTES_MAX, 'value') : new LineSplitter(ROW_BYTES_MAX);
  const reader = new JsonRowReader(request);
  return {
    splitter,
    toRow: (record, hasDetails) => reader.read(record, hasDetails),
    warnings: () => reader.builder.notes.warnings(),
  };
}

class JsonRowReader {
  readonly #targets: Targets;
  readonly builder: RowBuilder;
  readonly #options: ReadingRequest;

  constructor(options: ReadingRequest) {
    this.#options = options;
    this.#targets = targetsOf(options.map);
    this.builder = new RowBuilder({ ...options, isCsv: false, hasDecimalComma: false });
  }

  /** Returns undefined for the closing line of an export, which is not a row. */
  read({ line, content }: FileRecord<Buffer>, hasDetails: boolean): ReadRow | undefined {
    const own = this.#options.isFeed ? content?.toString() : undefined;
    try {
      if (content === undefined) throw rowTooLong();
      const { value, inexactNumbers } = parseBody(content, 'row');
      if (isClosingLine(value)) return undefined;
      if (!isObject(value)) parseListing({ value, inexactNumbers });
      const values = this.#collect(
        line,
        Object(value),
        Map.groupBy(inexactNumbers, ([name]) => String(name)),
      );
      return this.builder.build(line, values, own, hasDetails);
    } catch (error) {
      if (error instanceof AppError) return this.builder.fail(line, error, own);
      throw error;
    }
  }

  #collect(
    line: number,
    row: Record<string, unknown>,
    inexactNumbers: ReadonlyMap<string, (string | number)[][]>,
  ): RowValues {
    const values = this.builder.begin(line);
    for (const [name, value] of Object.entries(row)) {
      const target = this.#targets.get(name);
      const paths = inexactNumbers.get(name)?.map(([, ...path]) => path);
      if (target) this.#addValue(values, target, name, value, paths);
      // Unknown members are kept, so that they become issues.
      else if (target === undefined && !this.#options.ignoreUnknown && !isAnnotation(name)) {
        values.add({ key: name, isReso: false }, name, value);
      }
    }
    const { id } = values;
    if (id !== undefined && id !== null && typeof id !== 'string') {
      values.issues.push({ field: 'id', code: 'invalid_type', message: 'Must be the id of a listing, as a string.' });
    }
    return values;
  }

  #addValue(values: RowValues, target: Target, name: string, given: unknown, inexact: PropertyPath[] = []): void {
    if (values.addMeaning(target, name, given)) return;
    const chosen = typeof given === 'string' ? toOurChoice(target, given) : given;
    const value = values.cleaner === undefined ? chosen : values.cleaner.cleanJson(target, chosen);
    if (value !== undefined) values.add(target, name, value, inexact);
  }
}

/** Whether a member describes the row instead of the listing, as in RESO Common Format and OData. */
function isAnnotation(name: string): boolean {
  return name.startsWith('@odata.') || name.startsWith('@reso.');
}

function rowTooLong(): AppError {
  return new AppError('payload_too_large', `The row has more than ${ROW_BYTES_MAX} bytes; shorten it.`);
}

const CLOSING_MEMBERS = new Set(['end', 'count', 'sequence', 'epoch', 'total']);

function isClosingLine(value: unknown): boolean {
  return isObject(value) && value.end === true && Object.keys(value).every((name) => CLOSING_MEMBERS.has(name));
}
