import { isDollar } from '../../model/clean/prices.ts';
import type { Unit } from '../../model/clean/result.ts';
import { type CleaningOptions, cleanValue, type ValueKind } from '../../model/clean/values.ts';
import type { ValidationIssue } from '../../model/errors.ts';
import { decodeCell } from '../contract/schemas/listing-csv.ts';
import { UNITS as UNITS_OF_AMOUNTS } from '../contract/schemas/listing-patch.ts';
import { BATHROOMS, fieldOf, LOT_SIZES, type Target } from '../contract/schemas/targets.ts';
import type { UnitNotes } from './unit-notes.ts';
import { isGiven } from './value-rules.ts';

const KINDS: Readonly<Record<string, ValueKind>> = {
  ...{ listPrice: 'price', closePrice: 'price', currency: 'currency', country: 'country' },
  ...{ livingArea: 'area', lotSizeArea: 'area', livingAreaUnits: 'unit', lotSizeUnits: 'unit' },
  ...{ LotSizeAcres: 'area', LotSizeSquareFeet: 'area', LotSizeSquareMeters: 'area' },
  ...{ beds: 'beds', baths: 'baths', yearBuilt: 'year', latitude: 'latitude', longitude: 'longitude' },
  ...Object.fromEntries(BATHROOMS.map((name) => [name, 'bathPart' as const])),
  ...{ onMarketDate: 'date', closeDate: 'date', status: 'status', propertyType: 'propertyType' },
  ...{ externalId: 'line', ListingId: 'line', address: 'line', unitNumber: 'line', city: 'line' },
  ...{ stateOrProvince: 'line', postalCode: 'line', description: 'text' },
};

const NUMBERS: ReadonlySet<ValueKind> = new Set([
  ...(['price', 'area', 'beds', 'baths', 'bathPart', 'year', 'latitude', 'longitude'] as const),
]);
/** Kinds for which zero means that there is no value. */
const POSITIVE: ReadonlySet<ValueKind> = new Set(['price', 'area', 'year']);

const UNITS: ReadonlyMap<string, Unit> = new Map(Object.entries(LOT_SIZES));

export interface RowCleaningOptions extends CleaningOptions {
  /** The units and currencies in the names of columns, by the amount's field. */
  columnUnits?: ReadonlyMap<string, string>;
}

/** Converts a row's values from everyday notation, such as `$450,000`, to the API's. */
export class RowCleaner {
  readonly #options: RowCleaningOptions;
  readonly #notes: UnitNotes;
  readonly #line: number;
  cleaned = 0;
  readonly issues: ValidationIssue[] = [];
  /** Units and currencies that the row's values name, by field; `$` stands for any dollar. */
  readonly #named = new Map<string, string>();
  /** The problem of a lot size that is ambiguous unless it is in acres. */
  #problemUnlessAcres: string | undefined;
  /**
   * If the row has no `currency` of its own, the currency that its prices name; for prices in `$` alone, the one that
   * the row gets from `defaults` or from an empty `currency`, or `$` if it gets none.
   */
  currencyOfPrices: string | undefined;

  constructor(options: RowCleaningOptions, notes: UnitNotes, line: number) {
    this.#options = options;
    this.#notes = notes;
    this.#line = line;
  }

  /** Returns the value of a CSV cell as the API writes it; undefined if the cell has an issue. */
  cleanText(target: Target, given: string): string | undefined {
    const kind = kindOf(target);
    if (kind === undefined) return given;
    const field = fieldOf(target.key);
    const unit = UNITS.get(target.key);
    const result = cleanValue(kind, given, this.#options, unit);
    if ('problem' in result) {
      if (result.inAcres === undefined || field !== 'lotSizeArea') return this.#addIssue(field, result.problem);
      this.#problemUnlessAcres = result.problem;
      return result.inAcres;
    }
    if (result.unit !== undefined && unit !== undefined && result.unit !== unit) {
      return this.#addIssue(field, `"${given}" is not in ${unit}, the unit of the column.`);
    }
    const named = unit === undefined ? (result.unit ?? result.currency) : undefined;
    if (named !== undefined) this.#named.set(field, named);
    if (result.text !== given.trim()) this.cleaned += 1;
    return result.text;
  }

  /** Like `cleanText`, but for a JSON value. */
  cleanJson(target: Target, given: unknown): unknown {
    const kind = kindOf(target);
    if (kind === undefined || !isReadable(kind, given)) return given;
    const text = this.cleanText(target, String(given));
    if (text === undefined) return undefined;
    if (text === '') return null;
    if (NUMBERS.has(kind)) return this.#toNumber(fieldOf(target.key), text, given);
    if (typeof given === 'number') this.cleaned += 1;
    return kind === 'custom' ? this.toAnswer(text, given) : text;
  }

  /** Converts `true` and `false` in `metadata` to booleans. */
  toAnswer(text: string, given: unknown): string | boolean {
    if (text !== 'true' && text !== 'false') return text;
    if (text === given) this.cleaned += 1;
    return text === 'true';
  }

  #toNumber(field: string, text: string, given: unknown): unknown {
    const value = decodeCell(field, text);
    // A number in quotes is also counted in `cleaned`.
    if (typeof value === 'number' && text === String(given).trim()) this.cleaned += 1;
    return value;
  }

  /** Sets units and currencies to those that the row's values and columns name. Adds an issue if they differ. */
  complete(values: Map<string, unknown>): void {
    for (const [name, amounts] of UNITS_OF_AMOUNTS) {
      const own = values.get(name) ?? undefined;
      const named = amounts.flatMap((amount) => {
        const column = own === undefined ? this.#options.columnUnits?.get(amount) : undefined;
        const cell = this.#named.get(amount);
        const unit = cell === '$' && isDollar(column ?? '') ? column : (cell ?? column);
        return unit === undefined || !isGiven(values.get(amount)) ? [] : [{ amount, unit }];
      });
      const exact = named.find(({ unit }) => unit !== '$')?.unit;
      const known = own ?? exact ?? this.#notes.assumed(name);
      for (const { amount, unit } of named) {
        if (!isUnit(known) || (unit === '$' ? isDollar(known) : unit === known)) continue;
        this.#addIssue(amount, `Is in ${unit}, but ${name} is "${known}".`, 'inconsistent');
      }
      if (own !== undefined) continue;
      if (exact !== undefined) values.set(name, exact);
      if (name !== 'currency' || named.length === 0) continue;
      this.currencyOfPrices = values.has(name) || this.#notes.hasDefault(name) ? String(known) : '$';
    }
  }

  /** Checks and notes the units of the row's fields. */
  checkUnits(fields: Record<string, unknown>): void {
    const lotUnit = fields.lotSizeUnits ?? this.#notes.assumed('lotSizeUnits');
    if (this.#problemUnlessAcres !== undefined && lotUnit !== 'acres') {
      this.#addIssue('lotSizeArea', this.#problemUnlessAcres);
    }
    for (const [unitField, amounts] of UNITS_OF_AMOUNTS) {
      for (const amount of amounts) {
        if (!isGiven(fields[amount])) continue;
        const named = fields[unitField] ?? this.#named.get(amount);
        // `$` stands for the currency that is assumed for the file.
        const unit = named === '$' ? this.#notes.assumed(unitField) : named;
        if (unit === undefined || isUnit(unit)) this.#notes.add(unitField, { line: this.#line, unit });
      }
    }
  }

  #addIssue(field: string, message: string, code: ValidationIssue['code'] = 'invalid_format'): undefined {
    this.issues.push({ field, code, message });
  }
}

/** Whether a value can be a unit or a currency; the fields' own rules reject other values. */
function isUnit(value: unknown): value is string {
  return typeof value === 'string' && value.length <= UNIT_LENGTH_MAX;
}

const UNIT_LENGTH_MAX = 5;

function kindOf({ key, member }: Target): ValueKind | undefined {
  return member === undefined ? KINDS[key] : 'custom';
}

/** Whether a JSON value might need cleaning. Most numbers do not. */
function isReadable(kind: ValueKind, value: unknown): value is string | number {
  if (typeof value === 'string') return true;
  if (!Number.isFinite(value)) return false;
  if (kind === 'line' || kind === 'text') return Number.isSafeInteger(value);
  return (POSITIVE.has(kind) && value === 0) || (kind === 'baths' && !Number.isInteger(value));
}
