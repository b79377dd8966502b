import { HashSet } from '../../lib/hash-set.ts';
import { type AppError, toPlainError } from '../../model/errors.ts';
import { normalExternalId, REQUIRED_FIELDS } from '../contract/schemas/listings.ts';
import { type ParsedRow, parseRow } from '../contract/schemas/parse-row.ts';
import { RowCleaner, type RowCleaningOptions } from './cleaning.ts';
import { explainTexts } from './explain-texts.ts';
import type { ReadBadRow, ReadGoodRow, ReadingOptions, ReadingRequest } from './reading.ts';
import { RowValues } from './row-values.ts';
import { UnitNotes } from './unit-notes.ts';
import { ValueRules } from './value-rules.ts';

/** Longer external ids are invalid, and are not repeated in a report. */
const EXTERNAL_ID_LENGTH_MAX = 512;

/**
 * The maximum number of external ids that an import remembers to count repeated ids, which takes 16 MiB for the largest
 * files. Later ids are compared only with these. Feeds find and reject repeated rows later.
 */
const EXTERNAL_IDS_MAX = 1_000_000;

/** Maximum number of external ids that an unreadable row can have; a CSV row has up to 500 cells, and some too many. */
export const IDS_MAX = 600;

/** The external ids in a row that is not valid CSV or JSON. */
export interface FoundIds {
  /** The row's external id; undefined if the row can have several. */
  externalId: string | undefined;
  /** All external ids that the row can have. */
  possibleIds: string[];
}

interface RowBuilderOptions extends ReadingOptions, RowCleaningOptions, Pick<ReadingRequest, 'isFeed'> {
  /** In CSV or with `clean`, a required field without a value is missing. Otherwise, `null` is of the wrong type. */
  isCsv: boolean;
}

/** Creates rows from their values, in the same way for all formats. */
export class RowBuilder {
  readonly notes: UnitNotes;
  readonly #rules: ValueRules;
  readonly #options: RowBuilderOptions;
  readonly #isMerge: boolean;
  readonly #externalIds = new HashSet(EXTERNAL_IDS_MAX);

  constructor(options: RowBuilderOptions) {
    this.notes = new UnitNotes(options);
    this.#rules = new ValueRules(options);
    this.#options = options;
    this.#isMerge = options.mode === 'merge';
  }

  begin(line: number): RowValues {
    const cleaner = this.#options.clean ? new RowCleaner(this.#options, this.notes, line) : undefined;
    return new RowValues(this.#rules, cleaner);
  }

  /** `own` is the row's own values as a JSON string. */
  build(line: number, row: RowValues, own: string | undefined, hasDetails: boolean): ReadBadRow | ReadGoodRow {
    const fields = row.toFields();
    const id = typeof row.id === 'string' ? row.id : undefined;
    const externalId = toExternalId(fields.externalId);
    const any = { line, externalId, isRepeated: this.#isRepeated(externalId), values: own };
    const emptied = this.#options.isCsv || this.#options.clean ? takeEmptied(fields) : [];
    const isNamed = this.#isMerge && id === undefined && externalId !== undefined;
    const options = { isMerge: this.#isMerge, isNamed, hasDetails };
    const parsed = parseRow({ fields, emptied, issues: row.issues }, options);
    const { patch, lack } = hasDetails ? this.#explain(parsed, fields) : parsed;
    // A row that does not name a listing can only create one, so `lack` is its error.
    if (typeof patch !== 'string' && lack !== undefined && !isNamed && id === undefined) return { ...any, issue: lack };
    return { ...any, id, patch, lack, cleaned: row.cleaned, currencyOfPrices: row.cleaner?.currencyOfPrices };
  }

  #explain({ patch, lack }: ParsedRow, fields: Record<string, unknown>): ParsedRow {
    const hasTexts = this.#options.isCsv || this.#options.clean;
    if (typeof patch === 'string' || !hasTexts) return { patch, lack };
    const { clean } = this.#options;
    return { patch: explainTexts(patch, fields, clean), lack: lack && explainTexts(lack, fields, clean) };
  }

  /** Returns only the external id, as `build` finds it. */
  externalIdOf(row: RowValues): string | undefined {
    return toExternalId(row.toFields().externalId);
  }

  /** Creates the row for a record that cannot be read. Only a feed needs the external ids that it can have. */
  fail(line: number, error: AppError, own: string | undefined, findIds: () => FoundIds): ReadBadRow {
    const ids = this.#options.isFeed ? findIds() : { externalId: undefined };
    return { line, ...ids, isRepeated: false, values: own, issue: toPlainError(error) };
  }

  #isRepeated(externalId: string | undefined): boolean {
    return externalId !== undefined && !this.#options.isFeed && !this.#externalIds.add(externalId);
  }
}

/** Removes required fields without a value, and returns their names. */
function takeEmptied(fields: Record<string, unknown>): string[] {
  const emptied = REQUIRED_FIELDS.filter((name) => fields[name] === null);
  for (const name of emptied) delete fields[name];
  return emptied;
}

/** An external id as it is stored; undefined if there is none. */
function toExternalId(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > EXTERNAL_ID_LENGTH_MAX) return undefined;
  return normalExternalId(given) || undefined;
}
