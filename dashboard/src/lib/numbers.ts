/** Thousands apart, as `1,250,000.5`; also with spaces or apostrophes between them. */
const GROUPED = /^-?\d{1,3}([, \u00a0\u202f'’])\d{3}(\1\d{3})*(\.\d*)?$/;
const PLAIN = /^-?(\d+\.?\d*|\.\d+)$/;
/** Half the world writes thousands with a point, the other half decimals. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** What a text says as a number; nothing when it says none. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (PLAIN.test(trimmed)) return Number(trimmed);
  return GROUPED.test(trimmed) ? Number(trimmed.replaceAll(/[^\d.-]/g, '')) : undefined;
}

/** What a text says as an amount, which may be in the thousands: nothing for `450.000`, which is 450,000 to many. */
export function readAmount(text: string): number | undefined {
  return AMBIGUOUS.test(text.trim()) ? undefined : readNumber(text);
}

/** What to write instead of a text that says no amount. */
export function sayHowToWrite(text: string): string {
  const trimmed = text.trim();
  if (!AMBIGUOUS.test(trimmed)) return 'Write a number such as 450000 or 1250.5.';
  const decimal = String(Number(trimmed));
  return `Write ${trimmed.replace('.', '')} or ${AMBIGUOUS.test(decimal) ? `${decimal}0` : decimal}, whichever is meant.`;
}
