import { toPlain } from '../synonyms.ts';
import { cleanNumber, isZero, type NumberStyle } from './numbers.ts';
import type { Cleaned, Unit } from './result.ts';

const UNITS: Readonly<Record<string, Unit | 'hectares'>> = {
  ...{ sqft: 'sqft', sf: 'sqft', squarefeet: 'sqft', squarefoot: 'sqft', sqfeet: 'sqft', sqfoot: 'sqft', ft2: 'sqft' },
  ...{ squareft: 'sqft', sqm: 'sqm', squaremeters: 'sqm', squaremeter: 'sqm', squaremetres: 'sqm', m2: 'sqm' },
  ...{ squaremetre: 'sqm', sqmeters: 'sqm', sqmeter: 'sqm', sqmetres: 'sqm', sqmtr: 'sqm', qm: 'sqm' },
  ...{ acres: 'acres', acre: 'acres', ac: 'acres', ha: 'hectares', hectare: 'hectares', hectares: 'hectares' },
};
const SQM_PER_HECTARE = 10_000;
const AREA = /^([\d.,'’/ ]*\d)\s*([a-z].*)?$/i;

export function toUnit(word: string): Unit | 'hectares' | undefined {
  // `toPlain` removes digits, but a final 2 matters, as in m2.
  const name = toPlain(word) + (/2$/.test(word) ? '2' : '');
  return Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
}

/** Reads areas such as `1,250 sq ft`, `116 m²`, and `½ acre`. `unit` is the column's unit, if it has one. */
export function cleanArea(text: string, unit: Unit | undefined, style: NumberStyle): Cleaned | undefined {
  const [, digits = '', word] = AREA.exec(text) ?? [];
  const written = word === undefined ? undefined : toUnit(word);
  if (digits === '' || (word !== undefined && written === undefined)) return undefined;
  // Acres are written with a decimal point, often followed by three digits.
  const inAcres =
    style.decimal === undefined && !style.hasDecimalComma && /^\d+\.\d+$/.test(digits) ? digits : undefined;
  const isSmall = inAcres !== undefined && (written ?? unit) === 'acres';
  const number = cleanNumber(digits.trim(), { ...style, isSmall });
  if (number === undefined) return undefined;
  if ('problem' in number) return (written ?? unit) === undefined ? { ...number, inAcres } : number;
  if (isZero(number.text)) return { text: '' };
  if (written === 'hectares') {
    return { text: String(Number((Number(number.text) * SQM_PER_HECTARE).toFixed(4))), unit: 'sqm' };
  }
  return written === undefined ? number : { ...number, unit: written };
}
