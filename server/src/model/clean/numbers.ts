import { ambiguous, type Cleaned } from './result.ts';

const GROUPS = {
  comma: /^\d{1,3}(,\d{3})+(\.\d+)?$/,
  point: /^\d{1,3}(\.\d{3})+(,\d+)?$/,
  space: /^\d{1,3}( \d{3})+([.,]\d{1,2})?$/,
  apostrophe: /^\d{1,3}(['’]\d{3})+(\.\d{1,2})?$/,
};
const PLAIN = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^(\d*,\d{1,2}|0?,\d+)$/;
const DECIMAL_POINT = /^(\d*\.\d+|\d+\.)$/;
/** One separator before three digits: a thousand or a thousandth. */
const ONE_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/;
const FRACTION = /^(?:(\d{1,3}) )?([13])\/([24])$/;

export interface NumberStyle {
  /** Whether the file separates decimals with commas, or may do so. */
  hasDecimalComma: boolean;
  /** Whether the number is too small for thousands, as a latitude. */
  isSmall?: boolean;
}

/** Reads a number with thousands separators; undefined if it is none. */
export function cleanNumber(text: string, { hasDecimalComma, isSmall = false }: NumberStyle): Cleaned | undefined {
  if (isSmall && /^-?\d{1,3},\d+$/.test(text)) return { text: text.replace(',', '.') };
  if (ONE_GROUP.test(text) && !isSmall && (text.includes('.') || hasDecimalComma)) {
    const digits = text.replace(/[.,]/, '');
    return ambiguous(text, digits, String(Number(text.replace(',', '.'))));
  }
  if (PLAIN.test(text)) return { text: withoutLeadingZeros(text) };
  if (GROUPS.comma.test(text) && !text.startsWith('0')) return { text: text.replaceAll(',', '') };
  if (GROUPS.point.test(text) && !text.startsWith('0')) return { text: text.replaceAll('.', '').replace(',', '.') };
  if (GROUPS.space.test(text)) return { text: text.replaceAll(' ', '').replace(',', '.') };
  if (GROUPS.apostrophe.test(text)) return { text: text.replaceAll(/['’]/g, '') };
  if (DECIMAL_COMMA.test(text)) return { text: toDecimal(text.replace(',', '.')) };
  if (DECIMAL_POINT.test(text)) return { text: toDecimal(text) };
  const [, whole = '0', part, parts] = FRACTION.exec(text) ?? [];
  if (part === undefined || Number(part) >= Number(parts)) return undefined;
  return { text: String(Number(whole) + Number(part) / Number(parts)) };
}

/** JSON allows no leading zeros. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/^(-?)0+(?=\d)/, '$1');
}

function toDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return withoutLeadingZeros(fraction === '' ? whole : `${whole || '0'}.${fraction}`);
}

/** Whether the text is a number that is zero. */
export function isZero(text: string): boolean {
  return /^0+(\.0+)?$/.test(text);
}
