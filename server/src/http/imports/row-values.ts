import { isObject } from '../../lib/merge-patch.ts';
import type { ValidationIssue } from '../../model/errors.ts';
import { IGNORED_FIELDS } from '../contract/schemas/file-rows.ts';
import { fieldName } from '../contract/schemas/issues.ts';
import { BATHROOMS, isPart, LOT_SIZES, type Target } from '../contract/schemas/targets.ts';
import type { RowCleaner } from './cleaning.ts';
import { isGiven, type ValueRules } from './value-rules.ts';

const IGNORED = new Set(IGNORED_FIELDS);

/** Collects the values of a row by field. */
export class RowValues {
  id: unknown;
  readonly cleaner: RowCleaner | undefined;
  readonly #rules: ValueRules;
  /** The number of values that were words with a meaning defined in `values`. */
  #meant = 0;
  readonly issues: ValidationIssue[] = [];
  readonly #values = new Map<string, unknown>();
  readonly #members = new Map<string, unknown>();
  /** The names of columns or members that are parts of fields, by key. */
  readonly #parts = new Map<string, string>();

  constructor(rules: ValueRules, cleaner: RowCleaner | undefined) {
    this.#rules = rules;
    this.cleaner = cleaner;
  }

  get cleaned(): number {
    return this.#meant + (this.cleaner?.cleaned ?? 0);
  }

  /** If a string is a word that `values` defines, adds its meaning and returns true. Otherwise, returns false. */
  addMeaning(target: Target, name: string, text: unknown): boolean {
    const meaning = this.#rules.read(target, text);
    if (meaning === undefined) return false;
    this.#meant += 1;
    this.add(target, name, meaning);
    return true;
  }

  /** `name` is the column or member, for messages. */
  add({ key, member }: Target, name: string, value: unknown): void {
    if (IGNORED.has(key)) return;
    if (member !== undefined) this.#addMember(member, name, value);
    else if (key === 'id') this.id = value;
    else if (this.#values.has(key)) this.#addDuplicate(name, key);
    else this.#values.set(key, value);
    if (isPart(key)) this.#parts.set(key, name);
  }

  /** Returns the values by the API's field names. Call this once all values have been added. */
  toFields(): Record<string, unknown> {
    this.cleaner?.complete(this.#values);
    if (this.#parts.size > 0) this.#combineParts();
    if (this.#members.size > 0) this.#mergeMembers();
    const fields = Object.fromEntries(this.#values);
    this.cleaner?.checkUnits(fields);
    this.#rules.complete(fields);
    this.issues.push(...(this.cleaner?.issues ?? []));
    return fields;
  }

  #addMember(member: string, name: string, value: unknown): void {
    if (this.#members.has(member)) this.#addDuplicate(name, `metadata.${member}`);
    else this.#members.set(member, value);
  }

  #addDuplicate(name: string, key: string): void {
    const message = `Has the same field as another member, ${key}; remove one of them.`;
    this.issues.push({ field: fieldName([name]), code: 'duplicate', message });
  }

  #mergeMembers(): void {
    const metadata = this.#values.get('metadata') ?? {};
    if (!isObject(metadata)) return;
    for (const member of this.#members.keys()) {
      if (Object.hasOwn(metadata, member)) this.#addDuplicate(`metadata.${member}`, `metadata.${member}`);
    }
    this.#values.set('metadata', { ...metadata, ...Object.fromEntries(this.#members) });
  }

  #combineParts(): void {
    const values = this.#values;
    const listingId = values.get('ListingId');
    if (values.delete('ListingId')) {
      if (isGiven(values.get('externalId'))) this.#addMember('ListingId', 'ListingId', listingId);
      else values.set('externalId', listingId);
    }
    this.#combineLotSizes();
    this.#combineBathrooms();
  }

  /** A lot size with its unit takes precedence over those whose names contain the unit; all of them must agree. */
  #combineLotSizes(): void {
    const values = this.#values;
    const parts = Object.entries(LOT_SIZES).filter(([key]) => values.has(key));
    if (parts.length === 0) return;
    const sizes: LotSize[] = parts.map(([key, unit]) => ({
      name: this.#parts.get(key) ?? key,
      unit,
      value: values.get(key),
    }));
    const whole = { name: 'lotSizeArea', unit: values.get('lotSizeUnits'), value: values.get('lotSizeArea') };
    const isComplete = isGiven(whole.value) && isGiven(whole.unit);
    if (isComplete) sizes.unshift(whole);
    const [first, ...others] = sizes.filter(({ value }) => isGiven(value));
    for (const [key] of parts) values.delete(key);
    if (first !== undefined) this.#requireSameLot(first, others);
    if (isComplete) return;
    if (first !== undefined) values.set('lotSizeArea', first.value).set('lotSizeUnits', first.unit);
    else if (!values.has('lotSizeArea')) values.set('lotSizeArea', null);
  }

  #requireSameLot(first: LotSize, others: readonly LotSize[]): void {
    const other = others.find((each) => !areSameLot(first, each));
    if (other === undefined) return;
    const words = [first, other].map(({ name, value, unit }) => `${name} is ${value} ${unit}`);
    const message = `${words.join(', but ')}; correct one of them, or set map[${other.name}]= to skip it.`;
    this.issues.push({ field: 'lotSizeArea', code: 'inconsistent', message });
  }

  /** BathroomsTotalInteger takes precedence over its parts. */
  #combineBathrooms(): void {
    const values = this.#values;
    const given = BATHROOMS.map((name) => ({ name, value: values.get(name), isThere: values.delete(name) })).filter(
      ({ isThere }) => isThere,
    );
    if (given.length === 0 || isGiven(values.get('baths'))) return;
    const counts = given.filter(({ value }) => isGiven(value));
    const hasIssue = this.cleaner?.issues.some(({ field }) => field === 'baths') ?? false;
    if (counts.length > 0 && counts[0]?.name !== 'BathroomsFull' && !hasIssue) {
      const message = `${counts[0]?.name} alone is not a total; give BathroomsFull or BathroomsTotalInteger.`;
      this.issues.push({ field: 'baths', code: 'inconsistent', message });
    }
    values.set('baths', counts.length === 0 ? null : addUp(counts.map(({ value }) => value)));
  }
}

interface LotSize {
  name: string;
  unit: unknown;
  value: unknown;
}

const SQUARE_METERS: ReadonlyMap<unknown, number> = new Map([
  ['acres', 4046.856],
  ['sqft', 0.092903],
  ['sqm', 1],
]);
/** The relative difference that is allowed, because sources compute one lot size from another, and round both. */
const DIFFERENCE_MAX = 0.01;

/** Whether two lot sizes could be the same. Values that are not sizes have their own errors. */
function areSameLot(one: LotSize, other: LotSize): boolean {
  const [measured, otherMeasured] = [measure(one), measure(other)];
  if (measured === undefined || otherMeasured === undefined) return true;
  const tolerance = DIFFERENCE_MAX * Math.max(measured.area, otherMeasured.area) + measured.step + otherMeasured.step;
  return Math.abs(measured.area - otherMeasured.area) <= tolerance;
}

/** The area of a lot in square meters, and the precision of that area: one unit of the number's last digit. */
function measure({ value, unit }: LotSize): { area: number; step: number } | undefined {
  const factor = SQUARE_METERS.get(unit);
  if (typeof value !== 'number' || !(value > 0) || factor === undefined) return undefined;
  const decimals = String(value).split('.')[1]?.length ?? 0;
  return { area: value * factor, step: factor / 10 ** decimals };
}

/** The sum of counts, or the first value that is not a count, which the field's rule rejects. */
function addUp(counts: unknown[]): unknown {
  let sum = 0;
  for (const count of counts) {
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) return count;
    sum += count;
  }
  return sum;
}
