import { type Cells, CsvSplitter } from '../../lib/csv.ts';
import type { Separator } from '../../lib/csv-separator.ts';
import type { HashSet } from '../../lib/hash-set.ts';
import type { FileRecord } from '../../lib/records.ts';
import { AppError, type ValidationIssue } from '../../model/errors.ts';
import { hashRow } from '../../model/feeds.ts';
import { isFieldWord } from '../../model/suggest.ts';
import { decodeCell, withoutGuards } from '../contract/schemas/listing-csv.ts';
import { UNITS } from '../contract/schemas/listing-patch.ts';
import { fieldOf, ID_KEYS, LOT_SIZES, targetsOf, toOurChoice } from '../contract/schemas/targets.ts';
import type { RowCleaner } from './cleaning.ts';
import { type CsvColumn, NOT_UTF8, parseHeader } from './csv-header.ts';
import { FileEndError, type FileFormat } from './file-rows.ts';
import { unitsOfHeader } from './header-units.ts';
import { ROW_BYTES_MAX } from './json-rows.ts';
import type { ReadBadRow, ReadGoodRow, ReadHeader, ReadingRequest, ReadRow } from './reading.ts';
import { type FoundIds, IDS_MAX, RowBuilder } from './row.ts';
import type { RowValues } from './row-values.ts';

interface CsvOptions {
  /** Hashes of the rows that the feed's listings still match; such a row is valid and need not be read. */
  known: HashSet;
  onHeader(header: ReadHeader): void;
}

/** A CSV file, whose header row has the API's field names, RESO's names, or the names in `map`. */
export function csvFile(request: ReadingRequest, { known, onHeader }: CsvOptions): FileFormat<Cells> {
  let reader: CsvRowReader | undefined;
  const targets = targetsOf(request.map);
  const splitter = new CsvSplitter(ROW_BYTES_MAX, (name) => targets.has(name) || isFieldWord(name));
  return {
    splitter,
    toRow(record, hasDetails) {
      if (reader !== undefined) return reader.readUnknown(record, hasDetails, known);
      const cells = record.content.map((cell) => cell && withoutGuards(cell.trim()));
      const header = { cells, separator: splitter.separator };
      reader = new CsvRowReader(header, request);
      onHeader(header);
      return undefined;
    },
    end() {
      if (reader !== undefined) return;
      const message = 'The file is empty; it must begin with a row of column names.';
      throw new FileEndError('validation_failed', message, { members: { line: 1 } });
    },
    warnings: () => reader?.builder.notes.warnings() ?? [],
  };
}

const UNIT_KEYS = [...UNITS.flat(2), ...Object.keys(LOT_SIZES)];
const SEPARATOR_NAMES: Record<Separator, string> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' };

export class CsvRowReader {
  readonly #columns: (CsvColumn | null)[];
  /** The columns that are read in a known row: possible external ids and, with `clean`, amounts and their units. */
  readonly #knownColumns: (CsvColumn | null)[];
  /** The positions of the columns that can have an external id, the one that takes precedence first. */
  readonly #idPositions: number[];
  readonly #options: ReadingRequest;
  readonly builder: RowBuilder;
  readonly #separator: Separator;
  /** The string that is hashed before a row's values. */
  readonly #hashStart: string;

  /** @throws {AppError} `validation_failed` for an invalid header */
  constructor({ cells, separator }: ReadHeader, options: ReadingRequest) {
    this.#separator = separator;
    this.#columns = parseHeader(cells, options);
    const keys = new Set(options.clean ? [...ID_KEYS, ...UNIT_KEYS] : ID_KEYS);
    this.#knownColumns = this.#columns.map((column) => (column && keys.has(column.target.key) ? column : null));
    const positionOf = (key: string) => this.#columns.findIndex((column) => column?.target.key === key);
    this.#idPositions = ID_KEYS.map(positionOf).filter((position) => position >= 0);
    this.#options = options;
    const units = unitsOfHeader(options.clean ? this.#columns : [], options.defaults);
    this.builder = new RowBuilder({ ...options, ...units, isCsv: true, hasDecimalComma: separator === ';' });
    this.#hashStart = hashRow(JSON.stringify([options.hashStart, separator, cells]));
  }

  /** Reads a row. Of a known row, only the external id and, with `clean`, the units are read. */
  readUnknown(record: FileRecord<Cells>, hasDetails: boolean, known: HashSet): ReadRow {
    const { line, content: cells } = record;
    if (!this.#options.isFeed) return this.read(record, hasDetails);
    const values = JSON.stringify(cells);
    const hash = hashRow(this.#hashStart + values);
    if (!known.has(hash)) return { ...this.read(record, hasDetails), values, hash };
    const externalId = this.builder.externalIdOf(this.#collect(line, cells, this.#knownColumns));
    return { line, externalId, isRepeated: false, values, hash };
  }

  read({ line, content: cells }: FileRecord<Cells>, hasDetails: boolean): ReadBadRow | ReadGoodRow {
    const details = this.#findCellIssues(cells);
    if (details.length > 0) {
      const error = new AppError('validation_failed', 'The row is not valid CSV; see details.', { details });
      return this.builder.fail(line, error, undefined, () => this.#findIds(line, cells));
    }
    return this.builder.build(line, this.#collect(line, cells), undefined, hasDetails);
  }

  #collect(line: number, cells: Cells, columns = this.#columns): RowValues {
    const values = this.builder.begin(line);
    for (const [index, column] of columns.entries()) {
      if (column === null) continue;
      const { target, name } = column;
      // Line breaks in cells are often CRLF, like those between rows; the API's values have LF.
      const text = withoutGuards((cells[index] ?? '').replaceAll('\r\n', '\n'));
      if (values.addMeaning(target, name, text)) continue;
      const given = toOurChoice(target, text);
      const cell = values.cleaner === undefined ? given : values.cleaner.cleanText(target, given);
      if (cell === undefined) continue;
      if (target.key === 'id') values.id = cell.trim() || undefined;
      else if (target.member !== undefined) values.add(target, name, toMember(cell, given, values.cleaner));
      else values.add(target, name, decodeCell(fieldOf(target.key), cell));
    }
    return values;
  }

  /** The cells of a row with a wrong number of cells can be shifted, so each of them can be the external id. */
  #findIds(line: number, cells: Cells): FoundIds {
    const excess = cells.length - this.#columns.length;
    const [first] = this.#idPositions;
    const column = this.#columns[first ?? -1] ?? null;
    const candidates = excess === 0 ? this.#idPositions.map((position) => cells[position]) : cells.slice(0, IDS_MAX);
    const ids = candidates.map((cell) => this.builder.externalIdOf(this.#collect(line, [cell], [column])));
    const isInPlace = excess === 0 || (excess > 0 && first === 0);
    return { externalId: isInPlace ? ids[0] : undefined, possibleIds: ids.filter((id) => id !== undefined) };
  }

  #findCellIssues(cells: Cells): ValidationIssue[] {
    const columns = this.#columns;
    if (cells.length !== columns.length) {
      const message = `Has ${cells.length} cells, but must have ${columns.length}, like the header; quote values that contain a ${SEPARATOR_NAMES[this.#separator]} or a line break.`;
      return [{ field: 'body', code: 'invalid_format', message }];
    }
    return cells.flatMap((cell, index) => {
      const column = columns[index];
      if (cell !== undefined || !column) return [];
      return [{ field: column.target.key, code: 'invalid_format', message: NOT_UTF8 }];
    });
  }
}

/** Converts a cell to the value of a member of `metadata`. */
function toMember(cell: string, given: string, cleaner: RowCleaner | undefined): string | boolean | null {
  if (cell === '') return null;
  return cleaner === undefined ? cell : cleaner.toAnswer(cell, given);
}
