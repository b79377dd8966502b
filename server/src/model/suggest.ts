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
  closePrice: 'soldprice saleprice salesprice closedprice closingprice finalprice',
  livingArea: 'area size sqft squarefeet sqm squaremeters',
  livingAreaUnits: 'areaunits areaunit units',
  lotSizeArea: 'lotsize lot lotarea acres acreage',
  lotSizeUnits: 'lotunits lotunit',
  yearBuilt: 'year built constructionyear',
  onMarketDate: 'listdate listingdate listeddate datelisted marketdate dateonmarket',
  closeDate: 'solddate datesold saledate closingdate closeddate dateclosed settlementdate',
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
/** A name with the `-` of a descending order before it, or an operator in brackets behind it. */
const AFFIXED = /^(-?)([^[]*)(.*)$/s;

/**
 * The known name that is probably meant: the same name in another spelling such as `list_price`, a
 * synonym, or a mistyped name of which at most a third of the letters differ. `price[gte]` means
 * `listPrice[gte]`.
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, LENGTH_MAX).toLowerCase();
  const [, sign = '', base = '', operator = ''] = AFFIXED.exec(name) ?? [];
  const plain = toPlain(base);
  const bases = known
    .filter((candidate) => candidate.startsWith(sign) && candidate.endsWith(operator))
    .map((candidate) => candidate.slice(sign.length, candidate.length - operator.length));
  const meant = bases.find((candidate) => toPlain(candidate) === plain) ?? bases.find((one) => isSynonym(plain, one));
  return meant === undefined || plain === '' ? findMistyped(name, known) : sign + meant + operator;
}

function isSynonym(plain: string, candidate: string): boolean {
  return Object.hasOwn(SYNONYMS, candidate) && SYNONYMS[candidate]?.split(' ').includes(plain) === true;
}

function toPlain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
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
