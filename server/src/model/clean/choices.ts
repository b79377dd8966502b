import { COUNTRIES } from '../codes.ts';
import { LOT_SIZE_UNITS, PROPERTY_TYPES, STATUSES } from '../listings.ts';
import { CHOICE_WORDS, toPlain } from '../synonyms.ts';
import { toUnit } from './areas.ts';
import { toCurrency } from './prices.ts';
import type { Cleaned } from './result.ts';

const CHOICES: Readonly<Record<string, readonly string[]>> = { status: STATUSES, propertyType: PROPERTY_TYPES };

/** Choices by field, and by word as `toPlain` returns it. */
const WORDS = new Map(Object.entries(CHOICES).map(([field, choices]) => [field, wordsOf(choices)]));

function wordsOf(choices: readonly string[]): Map<string, string> {
  return new Map(
    choices.flatMap((choice) => [
      [toPlain(choice), choice] as const,
      ...(CHOICE_WORDS[choice] ?? '').split(' ').map((word) => [word, choice] as const),
    ]),
  );
}

/** Reads words such as `Sold` and `Single-Family Home`; undefined unless the word means exactly one choice. */
export function cleanChoice(field: string, text: string): Cleaned | undefined {
  // No choice contains digits, so "Active 2" does not mean `active`.
  const word = /\d/.test(text) ? '' : toPlain(text);
  const choice = WORDS.get(field)?.get(word);
  return word === '' || choice === undefined ? undefined : { text: choice };
}

export function cleanUnit(text: string): Cleaned | undefined {
  const unit = LOT_SIZE_UNITS.find((known) => known === toUnit(text));
  return unit === undefined ? undefined : { text: unit };
}

/** Reads currencies such as `usd`, `US$`, and `€`, but not `$`. */
export function cleanCurrency(text: string): Cleaned | undefined {
  const currency = toCurrency(text);
  return currency === undefined || currency === '$' ? undefined : { text: currency };
}

/** Names in addition to the English ones in CLDR. */
const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  ...{ us: 'US', usa: 'US', unitedstatesofamerica: 'US', america: 'US', can: 'CA', mex: 'MX', gbr: 'GB', uk: 'GB' },
  ...{ greatbritain: 'GB', england: 'GB', scotland: 'GB', wales: 'GB', northernireland: 'GB', aus: 'AU', nzl: 'NZ' },
  ...{
    deu: 'DE',
    deutschland: 'DE',
    fra: 'FR',
    esp: 'ES',
    espana: 'ES',
    ita: 'IT',
    italia: 'IT',
    prt: 'PT',
    irl: 'IE',
  },
  ...{ che: 'CH', aut: 'AT', nld: 'NL', thenetherlands: 'NL', holland: 'NL', bel: 'BE', bra: 'BR', brasil: 'BR' },
  ...{ mexico: 'MX', uae: 'AE', czechrepublic: 'CZ', turkey: 'TR', ind: 'IN', jpn: 'JP', chn: 'CN', zaf: 'ZA' },
};

let countryNames: Map<string, string> | undefined;

/** Reads countries such as `us`, `USA`, and `United States`. */
export function cleanCountry(text: string): Cleaned | undefined {
  const code = text.toUpperCase();
  if (COUNTRIES.has(code)) return { text: code };
  countryNames ??= readCountryNames();
  const country = countryNames.get(toPlain(text.normalize('NFKD')));
  return country === undefined ? undefined : { text: country };
}

function readCountryNames(): Map<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'region' });
  const known = [...COUNTRIES].map((code) => [toPlain((english.of(code) ?? code).normalize('NFKD')), code] as const);
  return new Map([...known, ...Object.entries(COUNTRY_NAMES)]);
}
