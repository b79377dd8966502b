import { CURRENCIES } from '../codes.ts';
import { cleanNumber, isZero, type NumberStyle } from './numbers.ts';
import type { Cleaned } from './result.ts';

/** Symbols and names of currencies, in uppercase; `$` stands for any dollar. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ US$: 'USD', 'U.S.$': 'USD', CA$: 'CAD', C$: 'CAD', CDN$: 'CAD', A$: 'AUD', AU$: 'AUD', NZ$: 'NZD', HK$: 'HKD' },
  ...{ S$: 'SGD', MX$: 'MXN', R$: 'BRL', '€': 'EUR', '£': 'GBP', '₹': 'INR', '₪': 'ILS', '₩': 'KRW', '₺': 'TRY' },
  ...{ '₱': 'PHP', '฿': 'THB', '₫': 'VND', ZŁ: 'PLN', KČ: 'CZK', 'FR.': 'CHF', SFR: 'CHF', DHS: 'AED' },
  ...{ EURO: 'EUR', EUROS: 'EUR', USDOLLAR: 'USD', USDOLLARS: 'USD', DOLLAR: '$', DOLLARS: '$' },
};

/** Currencies that are written with `$`. */
const DOLLARS: ReadonlySet<string> = new Set(
  'USD CAD AUD NZD HKD SGD TWD MXN ARS CLP COP UYU DOP BBD BSD BMD BZD FJD GYD JMD KYD LRD NAD SRD TTD XCD BND'.split(
    ' ',
  ),
);

const PRICE = /^([^\d.,]*)([\d.,'’ ]*\d|[\d.,'’ ]*\d\.)([^\d]*)$/;
const THREE_DECIMALS = /\.\d{3}$/;
const SHORT = /^(k|m|mm|mil|mio|million|thousand|lakh|lac|cr|crore)\b/i;

/** Reads prices such as `$450,000`, `450.000,50 €`, and `USD 450000`. */
export function cleanPrice(text: string, style: NumberStyle): Cleaned | undefined {
  const [, before = '', digits = '', after = ''] = PRICE.exec(text) ?? [];
  if (digits === '') return undefined;
  if (SHORT.test(after.trim())) return { problem: `"${text}" is abbreviated; write all digits, such as 450000.` };
  const currency = findCurrency([before, after]);
  if (currency === null) return undefined;
  // No dollar amount has three decimals after a comma, so $450,000 is unambiguous even if other numbers might not be.
  const isDollars = currency === '$' || isDollar(currency ?? '');
  const number = cleanNumber(digits.trim(), { ...style, hasDecimalComma: style.hasDecimalComma && !isDollars });
  if (number === undefined || 'problem' in number) return number;
  if (style.decimal !== undefined && THREE_DECIMALS.test(number.text)) {
    return { problem: `"${text}" is not a price with a decimal ${style.decimal}.` };
  }
  if (isZero(number.text)) return { text: '' };
  return currency === undefined ? number : { ...number, currency };
}

/** Undefined if there are no words; null if one of them is not a currency or they contradict each other. */
function findCurrency(words: string[]): string | null | undefined {
  const currencies = words
    .flatMap((word) => word.split(' '))
    .filter((word) => word !== '')
    .map(toCurrency);
  if (currencies.includes(undefined)) return null;
  const exact = new Set(currencies.filter((currency) => currency !== '$'));
  const [currency] = exact;
  if (exact.size > 1 || (currency !== undefined && currencies.includes('$') && !DOLLARS.has(currency))) return null;
  return currency ?? currencies[0];
}

/** The code of the currency that a symbol or word means, or `$`; undefined if it is not a currency. */
export function toCurrency(word: string): string | undefined {
  const given = word.toUpperCase().replaceAll(' ', '');
  if (given === '$') return '$';
  if (Object.hasOwn(SYMBOLS, given)) return SYMBOLS[given];
  const code = given.endsWith('$') ? given.slice(0, -1) : given;
  return CURRENCIES.has(code) ? code : undefined;
}

export function isDollar(currency: string): boolean {
  return DOLLARS.has(currency);
}
