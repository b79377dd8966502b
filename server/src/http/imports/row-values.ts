import type { PropertyPath } from '../../lib/json.ts';
import { isObject } from '../../lib/merge-patch.ts';
import type { ValidationIssue } from '../../model/errors.ts';
import { IGNORED_FIELDS } from '../contract/schemas/file-rows.ts';
import { fieldName } from '../contract/schemas/issues.ts';
import { BATHROOMS, fieldOf, isPart, LOT_SIZES, type Target } from '../contract/schemas/targets.ts';
import type { RowCleaner } from './cleaning.ts';

const IGNORED = new Set(IGNORED_FIELDS);

/** Collects the values of a row by field. */
export class RowValues {
  id: unknown;
  readonly cleaner: RowCleaner | undefined;
  readonly inexactNumbers: PropertyPath[] = [];
  readonly issues: ValidationIssue[] = [];
  readonly #values = new Map<string, unknown>();
  readonly #members = new Map<string, unknown>();
  #hasParts = false;

  constructor(cleaner: RowCleaner | undefined) {
    this.cleaner = cleaner;
  }

  /** `name` is the column or member, for messages. */
  add({ key, member }: Target, name: string, value: unknown, inexactNumbers: readonly PropertyPath[] = []): void {
    if (IGNORED.has(key)) return;
    if (member !== undefined) return this.#addMember(member, name, value);
    if (key === 'id') this.id = value;
    else if (this.#values.has(key)) return this.#addDuplicate(name, key);
    else this.#values.set(key, value);
    if (isPart(key)) this.#hasParts = true;
    for (const path of inexactNumbers) this.inexactNumbers.push([fieldOf(key), ...path]);
  }

  /** The values by our names of fields, once all have been added. */
  toFields(): Record<string, unknown> {
    if (this.#hasParts) this.#combineParts();
    if (this.#members.size > 0) this.#mergeMembers();
    const fields = Object.fromEntries(this.#values);
    this.cleaner?.complete(fields);
    this.issues.push(...(this.cleaner?.issues ?? []));
    return fields;
  }

  #addMember(member: string, name: string, value: unknown): void {
    if (this.#members.has(member)) this.#addDuplicate(name, `metadata.${member}`);
    else this.#members.set(member, value);
  }

  #addDuplicate(name: string, key: string): void {
    const message = `Is the same field as another member, ${key}; remove one of them.`;
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

  /** A lot size with its unit takes precedence over those whose name has the unit. */
  #combineLotSizes(): void {
    const values = this.#values;
    const given = Object.entries(LOT_SIZES).map(([name, unit]) => ({
      unit,
      value: values.get(name),
      isThere: values.delete(name),
    }));
    const isComplete = isGiven(values.get('lotSizeArea')) && isGiven(values.get('lotSizeUnits'));
    if (isComplete || !given.some(({ isThere }) => isThere)) return;
    const chosen = given.find(({ value }) => isGiven(value));
    if (chosen !== undefined) values.set('lotSizeArea', chosen.value).set('lotSizeUnits', chosen.unit);
    else if (!values.has('lotSizeArea')) values.set('lotSizeArea', null);
  }

  /** BathroomsTotalInteger takes precedence over its parts. */
  #combineBathrooms(): void {
    const values = this.#values;
    const given = BATHROOMS.map((name) => ({ name, value: values.get(name), isThere: values.delete(name) })).filter(
      ({ isThere }) => isThere,
    );
    if (given.length === 0 || isGiven(values.get('baths'))) return;
    const counts = given.filter(({ value }) => isGiven(value));
    if (counts.length > 0 && counts[0]?.name !== 'BathroomsFull') {
      const message = `${counts[0]?.name} alone is not a total; give BathroomsFull or BathroomsTotalInteger.`;
      this.issues.push({ field: 'baths', code: 'inconsistent', message });
    }
    values.set('baths', counts.length === 0 ? null : addUp(counts.map(({ value }) => value)));
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
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
