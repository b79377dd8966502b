import { JsonArraySplitter } from '../../lib/json-array.ts';
import { LineSplitter } from '../../lib/lines.ts';
import { isObject } from '../../lib/merge-patch.ts';
import type { FileRecord } from '../../lib/records.ts';
import { AppError } from '../../model/errors.ts';
import { parseListing } from '../contract/schemas/parse-listing.ts';
import { ID_KEYS, type Target, type Targets, targetsOf, toOurChoice } from '../contract/schemas/targets.ts';
import { parseBody } from '../protocol/body.ts';
import type { FileFormat } from './file-rows.ts';
import type { ReadingRequest, ReadRow } from './reading.ts';
import { type FoundIds, IDS_MAX, RowBuilder } from './row.ts';
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

/** A string of up to 512 characters or a whole number, as JSON (RFC 8259). */
const ID_VALUE = String.raw`"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){0,512}"|(?:0|[1-9]\d{0,14})(?![\w.])`;

class JsonRowReader {
  readonly #targets: Targets;
  /** Patterns of members with an external id, in the order of `ID_KEYS`. */
  readonly #idPatterns: RegExp[];
  readonly builder: RowBuilder;
  readonly #options: ReadingRequest;

  constructor(options: ReadingRequest) {
    this.#options = options;
    this.#targets = targetsOf(options.map);
    this.#idPatterns = ID_KEYS.map((key) => {
      const targets = this.#targets.entries().filter(([, target]) => target?.key === key);
      const names = targets.map(([name]) => RegExp.escape(JSON.stringify(name)));
      return new RegExp(`(${['(?!)', ...names].join('|')})\\s*:\\s*(${ID_VALUE})`, 'g');
    });
    this.builder = new RowBuilder({ ...options, isCsv: false, hasDecimalComma: false });
  }

  /** Returns undefined for the closing line of an export, which is not a row. */
  read({ line, content, isTooLong = false }: FileRecord<Buffer>, hasDetails: boolean): ReadRow | undefined {
    const own = this.#options.isFeed && !isTooLong ? content.toString() : undefined;
    try {
      if (isTooLong) throw rowTooLong();
      const value = parseBody(content, 'row');
      if (isClosingLine(value)) return undefined;
      if (!isObject(value)) parseListing(value);
      return this.builder.build(line, this.#collect(line, Object(value)), own, hasDetails);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.builder.fail(line, error, own, () => this.#findIds(line, own ?? content.toString()));
    }
  }

  /** The names of external ids can also be those of members of nested objects. */
  #findIds(line: number, text: string): FoundIds {
    const found = this.#idPatterns.map((pattern) => {
      const members = text.matchAll(pattern).take(IDS_MAX);
      const ids = members.map(([, name = '', value = '']) => {
        return this.builder.externalIdOf(this.#collect(line, { [JSON.parse(name)]: JSON.parse(value) }));
      });
      return [...new Set(ids)].filter((id) => id !== undefined);
    });
    const [first, ...others] = found.find((ids) => ids.length > 0) ?? [];
    // Decoding replaces bytes that are not UTF-8.
    const isCertain = others.length === 0 && !first?.includes('\uFFFD');
    return { externalId: isCertain ? first : undefined, possibleIds: found.flat() };
  }

  #collect(line: number, row: Record<string, unknown>): RowValues {
    const values = this.builder.begin(line);
    for (const [name, value] of Object.entries(row)) {
      const target = this.#targets.get(name);
      if (target) this.#addValue(values, target, name, value);
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

  #addValue(values: RowValues, target: Target, name: string, given: unknown): void {
    if (values.addMeaning(target, name, given)) return;
    const chosen = typeof given === 'string' ? toOurChoice(target, given) : given;
    const value = values.cleaner === undefined ? chosen : values.cleaner.cleanJson(target, chosen);
    if (value !== undefined) values.add(target, name, value);
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
