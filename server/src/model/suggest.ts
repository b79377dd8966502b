import { closest, distance } from 'fastest-levenshtein';

/**
 * What listing files and people call fields and choices, in lowercase letters. The API, the command
 * line, and the dashboard show suggestions from this table.
 */
const SYNONYMS: Record<string, string> = {
  externalId: 'ownid reference ref mlsnumber mlsid mls listingid',
  address: 'street streetaddress addressline fulladdress',
  unitNumber: 'unit apartment apartmentnumber apt suite',
  city: 'town municipality',
  stateOrProvince: 'state province region',
  postalCode: 'zip zipcode postcode',
  country: 'countrycode',
  beds: 'bedrooms bedroom bed br',
  baths: 'bathrooms bathroom bath ba',
  status: 'listingstatus',
  propertyType: 'type kind',
  listPrice: 'price askingprice amount',
  currency: 'currencycode',
  livingArea: 'area size sqft squarefeet sqm squaremeters',
  livingAreaUnits: 'areaunits areaunit units',
  lotSizeArea: 'lotsize lot lotarea acres acreage',
  lotSizeUnits: 'lotunits lotunit',
  yearBuilt: 'year built constructionyear',
  description: 'remarks publicremarks text notes comments',
  latitude: 'lat',
  longitude: 'lng lon long',
  photos: 'photo images image pictures',
  metadata: 'customfields custom extra',
  sort: 'order orderby sortby',
  limit: 'pagesize perpage top',
  q: 'query search text keyword',
  // Statuses
  coming_soon: 'premarket upcoming',
  active: 'available forsale onmarket new listed',
  active_under_contract: 'undercontract contingent underoffer',
  pending: 'pendingsale salepending',
  hold: 'onhold temporarilyoffmarket paused',
  withdrawn: 'offmarket removed',
  closed: 'sold leased rented settled',
  canceled: 'terminated',
  // Property types
  residential: 'house home condo condominium townhouse apartment singlefamily',
  residential_lease: 'rental rent lease forrent',
  residential_income: 'multifamily duplex',
  land: 'lot lots plot vacantland',
  farm: 'ranch',
  commercial_sale: 'commercial office retail',
  business_opportunity: 'business',
  manufactured_in_park: 'manufactured mobilehome',
};

const LENGTH_MAX = 100;

/**
 * The known name that is probably meant: the same name in another spelling such as `list_price`, a
 * synonym, or a mistyped name of which at most a third of the letters differ. Keeps an operator:
 * `price[gte]` means `listPrice[gte]`.
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, LENGTH_MAX).toLowerCase();
  const [base = '', ...operator] = name.split(/(?=\[)/);
  const suffix = operator.join('');
  const plain = toPlain(base);
  return (
    known.find((candidate) => candidate.toLowerCase().endsWith(suffix) && toPlain(candidate, suffix) === plain) ??
    known.find((candidate) => isSynonym(plain, candidate, suffix)) ??
    findMistyped(name, known)
  );
}

function isSynonym(plain: string, candidate: string, suffix: string): boolean {
  if (plain === '' || !candidate.endsWith(suffix)) return false;
  const synonyms = SYNONYMS[candidate.slice(0, candidate.length - suffix.length)];
  return synonyms?.split(' ').includes(plain) ?? false;
}

function toPlain(name: string, suffix = ''): string {
  return name
    .slice(0, name.length - suffix.length)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

function findMistyped(name: string, known: readonly string[]): string | undefined {
  const distanceMax = Math.floor(name.length / 3);
  // The distance is at least the difference in length.
  const similar = known.filter((candidate) => Math.abs(candidate.length - name.length) <= distanceMax);
  if (similar.length === 0) return undefined;
  const nearest = closest(
    name,
    similar.map((candidate) => candidate.toLowerCase()),
  );
  if (distance(name, nearest) > distanceMax) return undefined;
  return known.find((candidate) => candidate.toLowerCase() === nearest);
}
