/** `1,250,000.5`, or with spaces or apostrophes as thousands separators. */
const GROUPED = /^-?\d{1,3}([, \u00a0\u202f'’])\d{3}(\1\d{3})*(\.\d*)?$/;
const PLAIN = /^-?(\d+\.?\d*|\.\d+)$/;
/** `450.000`: the period is a thousands separator in some countries and a decimal separator in others. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** A currency symbol or code before or after an amount. */
const CURRENCY = /^(?:\p{Sc}|[A-Z]{3}\s)\s*|\s*(?:\p{Sc}|\s[A-Z]{3})$/gu;

export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (PLAIN.test(trimmed)) return Number(trimmed);
  return GROUPED.test(trimmed) ? Number(trimmed.replaceAll(/[^\d.-]/g, '')) : undefined;
}

/** Parses an amount, such as `$450,000`. Rejects `450.000`, which many users read as 450,000. */
export function readAmount(text: string): number | undefined {
  const amount = withoutCurrency(text);
  return AMBIGUOUS.test(amount) ? undefined : readNumber(amount);
}

function withoutCurrency(text: string): string {
  return text.trim().replaceAll(CURRENCY, '');
}

/** Suggests what to enter instead of a string that is not an amount. */
export function suggestAmount(text: string): string {
  const trimmed = withoutCurrency(text);
  if (!AMBIGUOUS.test(trimmed)) return 'Enter a number, such as 450,000 or 1250.5.';
  const whole = Number(trimmed.replace('.', '')).toLocaleString('en');
  const decimal = String(Number(trimmed));
  return `Did you mean ${whole} or ${AMBIGUOUS.test(decimal) ? `${decimal}0` : decimal}?`;
}
