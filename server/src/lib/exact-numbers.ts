/** Every decimal of 15 digits survives a double (IEEE 754, DBL_DIG). */
const EXACT_LENGTH_MAX = 15;

/** Whether a decimal is the double that is read for it. */
export function isExact(source: string, value: number): boolean {
  if (source.length <= EXACT_LENGTH_MAX && !/[eE]/.test(source)) return true;
  return Number.isFinite(value) && canonicalDecimal(source) === canonicalDecimal(String(value));
}

/** `-12.50e3` → `-125e2`: sign, digits without zeros at either end, power of ten. */
function canonicalDecimal(decimal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  // A regular expression for zeros at the end would look for them from every zero: minutes for a long body.
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
