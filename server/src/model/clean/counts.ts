import { cleanNumber, type NumberStyle } from './numbers.ts';
import { ambiguous, type Cleaned } from './result.ts';

const BEDS = /^(\d{1,3})(?:\.0+)?\s*(?:beds?|bedrooms?|br|brs|bd|bds|bdr|bdrm|bdrms)\.?$/i;
const BATH_WORDS = /\s*(?:baths?|bathrooms?|ba|bas)\.?$/i;
const FULL_AND_HALF =
  /^(\d{1,2}) ?(?:f|full)(?: baths?| bathrooms?)?(?:,| ?[/+&]| and)? ?(\d{1,2}) ?(?:h|half)(?: baths?| bathrooms?)?$/i;
const ONLY_FULL = /^(\d{1,2}) ?full(?: baths?| bathrooms?)?$/i;
const FULL_SLASH_HALF = /^\d{1,2}\/\d{1,2}$/;

/** Reads values such as `3 beds` and `Studio`. */
export function cleanBeds(text: string, style: NumberStyle): Cleaned | undefined {
  if (/^studio$/i.test(text)) return { text: '0' };
  const [, count] = BEDS.exec(text) ?? [];
  return count === undefined ? cleanNumber(text, style) : { text: String(Number(count)) };
}

/** Reads values such as `2.5` (two full and one half, counted as 3), `2½ baths`, and `2 full, 1 half`. */
export function cleanBaths(text: string, style: NumberStyle): Cleaned | undefined {
  const [, full, half = '0'] = FULL_AND_HALF.exec(text) ?? ONLY_FULL.exec(text) ?? [];
  if (full !== undefined) return { text: String(Number(full) + Number(half)) };
  const count = text.replace(BATH_WORDS, '');
  if (FULL_SLASH_HALF.test(count)) return ambiguous(text, 'full and half bathrooms', 'a fraction');
  const number = cleanCount(count, style);
  if (number === undefined || 'problem' in number) return number;
  const [, whole, fraction = ''] = /^(\d+)\.(\d+)$/.exec(number.text) ?? [];
  if (whole === undefined || /^0+$/.test(fraction)) return number;
  if (/^50*$/.test(fraction)) return { text: String(Number(whole) + 1) };
  return { problem: `"${text}" is not a number of bathrooms; enter the total, counting a half bath as 1.` };
}

/** Reads the number of only the full or only the half bathrooms, which must be whole. */
export function cleanBathPart(text: string, style: NumberStyle): Cleaned | undefined {
  const number = cleanCount(text.replace(BATH_WORDS, ''), style);
  if (number === undefined || 'problem' in number || /^\d+(\.0+)?$/.test(number.text)) return number;
  return { problem: `"${text}" is not a whole number of full or half bathrooms; put the total in its own column.` };
}

/** Reads counts such as `2,5`. In `1,000`, the comma does not mark decimals, unless the file has decimal commas. */
function cleanCount(text: string, style: NumberStyle): Cleaned | undefined {
  const isSmall = !(style.decimal === undefined ? /,\d{3}$/ : /[.,]\d{3}$/).test(text);
  return cleanNumber(text, { ...style, isSmall });
}
