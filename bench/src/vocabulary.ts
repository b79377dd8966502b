import { generator } from '../../testkit/src/random-json.ts';

export type Random = () => number;

const SEED = 500;
const CITIES = 500;
const STEMS = 400;
const ENDINGS = ['', 's', 'ed', 'ing', 'er', 'ly', 'ness', 'able', 'ful', 'ment'];
const ONSETS = 'b c d f g h l m n p r s t v w br cl dr fl gr pl sh st th tr'.split(' ');
const VOWELS = 'a e i o u ai ea oo'.split(' ');
const CODAS = 'd l m n p r s t ck ld nd rt st'.split(' ');
const CITY_BEGINNINGS =
  'Ash Birch Cedar Clear Elk Fair Fox Glen Green Hazel High Iron Lake Maple Mill North Oak Pine Red River Rock Spring Stone Summer Willow'.split(
    ' ',
  );
const CITY_ENDINGS =
  'ville|ton|field|wood|port|dale|bury|ford|view|brook| City| Falls| Springs| Heights| Park| Grove| Valley| Hills| Beach|más'.split(
    '|',
  );
const STATES = 'AL AZ CA CO FL GA ID IL IN IA KS KY MI MN MO MT NC NM NV NY OH OK OR PA TN TX UT VA WA WI'.split(' ');

export type City = { name: string; state: string; postalCode: number; latitude: number; longitude: number };

/** Picks one of 500 cities, which are in order from the most to the least frequent. */
export const pickCity = byRank(makeCities());

/**
 * Picks one of 4,000 words, which are in order from the most to the least frequent. As in English, words
 * share stems: ten words begin with the same stem.
 */
export const pickWord = byRank(makeWords());

/** Picks items by Zipf's law: the second item is half as frequent as the first, and the tenth a tenth as frequent. */
function byRank<T>(items: readonly T[]): (random: Random) => T {
  let total = 0;
  const upTo = items.map((_, rank) => {
    total += 1 / (rank + 1);
    return total;
  });
  return (random) => {
    const wanted = random() * total;
    let [low, high] = [0, items.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? total) > wanted) high = middle;
      else low = middle + 1;
    }
    return itemAt(items, low);
  };
}

function makeCities(): City[] {
  const random = generator(SEED);
  const names = CITY_BEGINNINGS.flatMap((beginning) => CITY_ENDINGS.map((ending) => `${beginning}${ending}`));
  return shuffle(random, names)
    .slice(0, CITIES)
    .map((name) => ({
      name,
      state: pick(random, STATES),
      postalCode: 10_000 + Math.floor(random() * 89_000),
      latitude: 31 + random() * 15,
      longitude: -120 + random() * 42,
    }));
}

function makeWords(): string[] {
  const random = generator(SEED);
  const syllable = () => pick(random, ONSETS) + pick(random, VOWELS);
  const stems = new Set<string>();
  while (stems.size < STEMS) stems.add(syllable() + (random() < 0.7 ? syllable() : '') + pick(random, CODAS));
  return ENDINGS.flatMap((ending) => [...stems].map((stem) => `${stem}${ending}`));
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return itemAt(items, Math.floor(random() * items.length));
}

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error('there are no items to pick from');
  return item;
}

export function shuffle<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
