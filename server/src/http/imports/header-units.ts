import { toUnit } from '../../model/clean/areas.ts';
import { toCurrency } from '../../model/clean/prices.ts';
import { LOT_SIZE_UNITS } from '../../model/listings.ts';
import { UNITS } from '../contract/schemas/listing-patch.ts';
import type { CsvColumn } from './csv-header.ts';

/** The unit fields of amounts, by the amount's field. */
const UNIT_FIELDS: ReadonlyMap<string, string> = new Map(
  UNITS.flatMap(([unit, amounts]) => amounts.map((amount) => [amount, unit] as const)),
);
const IN_BRACKETS = /[([]\s*([^()[\]]+?)\s*[)\]]\s*$/;
const AFTER_IN = /\bin\s+(\S+)\s*$/i;
const LAST_WORD = /(\S+)$/;

/**
 * The units and currencies that column names contain, such as `Area (m²)`, `Sq Ft`, and `Price in EUR`, by the column's
 * field. They are also added to the defaults, for the other price.
 */
export function unitsOfHeader(columns: readonly (CsvColumn | null)[], given: ReadonlyMap<string, string>) {
  const columnUnits = new Map<string, string>();
  const defaults = new Map(given);
  for (const { name, target } of columns.filter((column) => column !== null)) {
    const field = UNIT_FIELDS.get(target.key);
    const unit = field === undefined ? undefined : unitIn(name.normalize('NFKC'), field);
    if (field === undefined || unit === undefined) continue;
    columnUnits.set(target.key, unit);
    if (!given.has(field)) defaults.set(field, unit);
  }
  return { columnUnits, defaults };
}

function unitIn(name: string, field: string): string | undefined {
  const marked = [IN_BRACKETS, AFTER_IN].flatMap((pattern) => pattern.exec(name)?.[1] ?? []);
  // Currency codes can be words, such as ALL, so a code is recognized only in brackets or after "in".
  if (field === 'currency')
    return marked.map(toCurrency).find((currency) => currency !== undefined && currency !== '$');
  const units = [...marked, name, LAST_WORD.exec(name)?.[1] ?? ''].map(toUnit);
  return units.find((unit) => LOT_SIZE_UNITS.some((known) => known === unit));
}
