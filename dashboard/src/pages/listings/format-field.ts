import type { Listing } from '../../api/types';
import { AREA_UNITS, formatArea, formatChoice, formatDay, formatNumber, formatPrice } from '../../lib/format';
import { FORM_FIELDS } from './form-fields';

const KINDS: Partial<Record<string, string>> = Object.fromEntries(FORM_FIELDS.map(({ name, kind }) => [name, kind]));

type Units = Pick<Listing, 'currency' | 'livingAreaUnits' | 'lotSizeUnits'>;

/** Formats a field's value for display, in the currency and units of the listing. */
export function formatField(name: string, value: unknown, { currency, livingAreaUnits, lotSizeUnits }: Units): string {
  if (value === undefined || value === null) return 'None';
  if (typeof value === 'number') {
    if (name.endsWith('Price')) return formatPrice(value, currency);
    if (name === 'livingArea') return formatArea(value, livingAreaUnits);
    if (name === 'lotSizeArea') return formatArea(value, lotSizeUnits);
    return name === 'yearBuilt' || KINDS[name] === 'degrees' ? String(value) : formatNumber(value);
  }
  if (KINDS[name] === 'choice') return AREA_UNITS[String(value)] ?? formatChoice(String(value));
  return KINDS[name] === 'date' ? formatDay(String(value)) : String(value);
}

/** Returns a field's label in the form, such as `Close price`, or else the field's own name. */
export function labelOf(name: string): string {
  const label = FORM_FIELDS.find((field) => field.name === name)?.label;
  return label ?? { photos: 'Photos', metadata: 'Custom fields', feed: 'Feed' }[name] ?? name;
}
