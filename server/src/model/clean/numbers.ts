import type { Cleaned } from './result.ts';

/** The decimal separator of numbers: 267.500 is 267500 (`comma`) or 267.5 (`point`). */
export type DecimalSeparator = 'comma' | 'point';

const GROUPS = {
  comma: /^\d{1,3}(,\d{3})+(\.\d+)?$/,
  point: /^\d{1,3}(\.\d{3})+(,\d+)?$/,
  space: /^\d{1,3}( \d{3})+([.,]\d{1,2})?$/,
  apostrophe: /^\d{1,3}(['’]\d{3})+(\.\d{1,2})?$/,
};
const PLAIN = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^(\d*,\d{1,2}|0?,\d+)$/;
const DECIMAL_POINT = /^(\d*\.\d+|\d+\.)$/;
/** A single separator before three digits, which can mark thousands or decimals. */
const ONE_GROUP = /^[1-9]\d{0,2}[.,]\d{3}$/;
/** Numbers by their known decimal separator. A number that begins with 0 has no thousands separator. */
const LOCAL = {
  comma: /^(?:-?(?:[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:[ '’]\d{3})+|\d+)(?:,\d*)?|,\d+)$/,
  point: /^(?:-?(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:[ '’]\d{3})+|\d+)(?:\.\d*)?|\.\d+)$/,
};
const FRACTION = /^(?:(\d{1,3}) )?([13])\/([24])$/;

export interface NumberStyle {
  /** The file's decimal separator, if it is known. */
  decimal?: DecimalSeparator | undefined;
  /** Whether the file uses, or might use, decimal commas. */
  hasDecimalComma: boolean;
  /** Whether the number, such as a latitude, is too small for a thousands separator. */
  isSmall?: boolean;
}

/** Reads a number, which can have thousands separators; undefined if the text is not a number. */
export function cleanNumber(text: string, style: NumberStyle): Cleaned | undefined {
  const { decimal, hasDecimalComma, isSmall = false } = style;
  if (decimal !== undefined && !isSmall && /[.,]/.test(text)) return cleanLocal(text, decimal);
  if (isSmall && /^-?\d{1,3},\d+$/.test(text)) return { text: text.replace(',', '.') };
  if (ONE_GROUP.test(text) && !isSmall && (text.includes('.') || hasDecimalComma)) {
    const meanings = `${text.replace(/[.,]/, '')} or ${Number(text.replace(',', '.'))}`;
    return { problem: `"${text}" can mean ${meanings}; set decimal=comma or decimal=point.` };
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

/** Reads a number whose decimal separator is known. */
function cleanLocal(text: string, decimal: DecimalSeparator): Cleaned | undefined {
  if (!/^-?[\d.,'’ ]+$/.test(text)) return undefined;
  if (!LOCAL[decimal].test(text)) return { problem: `"${text}" is not a number with a decimal ${decimal}.` };
  const [whole = '', fraction = ''] = text.split(decimal === 'comma' ? ',' : '.');
  return { text: toDecimal(`${whole.replaceAll(/[.,'’ ]/g, '')}.${fraction}`) };
}

/** JSON does not allow leading zeros. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/^(-?)0+(?=\d)/, '$1');
}

function toDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return withoutLeadingZeros(fraction === '' ? whole : `${whole || '0'}.${fraction}`);
}

export function isZero(text: string): boolean {
  return /^0+(\.0+)?$/.test(text);
}
