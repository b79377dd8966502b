/** Words as `toPlain` returns them, separated by spaces. */
type Words = Readonly<Record<string, string>>;

/** Other names that listing files and people use for fields. */
export const FIELD_SYNONYMS: Words = {
  externalId: 'ownid reference ref refno mlsnumber mlsid mls listingnumber',
  address: 'street streetaddress addressline fulladdress propertyaddress',
  unitNumber: 'unit apartment apartmentnumber apt aptnumber suite unitno',
  city: 'town municipality',
  stateOrProvince: 'state st province region',
  postalCode: 'zip zipcode postcode',
  country: 'countrycode',
  beds: 'bedrooms bedroom bed br bdrms nobedrooms numberofbedrooms totalbedrooms',
  baths: 'bathrooms bathroom bath ba totalbaths totalbathrooms bathstotal numberofbathrooms',
  BathroomsFull: 'fullbaths fullbathrooms bathsfull fullbath',
  BathroomsHalf: 'halfbaths halfbathrooms bathshalf halfbath',
  status: 'listingstatus salestatus mlsstatus propertystatus marketstatus',
  propertyType: 'type kind proptype',
  listPrice: 'price asking askingprice amount listingprice currentprice',
  currency: 'currencycode',
  closePrice: 'soldprice saleprice salesprice closedprice closingprice finalprice',
  livingArea: 'area size sqft squarefeet squarefootage livingsqft floorarea livingspace',
  livingAreaUnits: 'areaunits areaunit units',
  LotSizeAcres: 'acres acreage lotacres lotacreage',
  LotSizeSquareFeet: 'lotsqft lotsizesqft lotsquarefeet',
  LotSizeSquareMeters: 'lotsqm lotsizesqm lotsquaremeters',
  lotSizeArea: 'lotsize lot lotarea landarea landsize',
  lotSizeUnits: 'lotunits lotunit',
  yearBuilt: 'year built yrbuilt constructionyear buildyear',
  onMarketDate: 'listed listedon listdate listingdate listeddate datelisted marketdate dateonmarket',
  closeDate: 'solddate soldon datesold saledate closingdate closeddate dateclosed settlementdate',
  description: 'remarks publicremarks text notes comments',
  latitude: 'lat',
  longitude: 'lng lon long',
  photos: 'photo images image pictures',
  metadata: 'customfields custom extra',
};

export const PARAMETER_SYNONYMS: Words = {
  sort: 'order orderby sortby',
  limit: 'pagesize perpage top',
  q: 'query search text keyword',
  cursor: 'page offset skip',
  near: 'lat latitude lng lon longitude location',
  'listPrice[gte]': 'minprice pricemin',
  'listPrice[lte]': 'maxprice pricemax',
  'beds[gte]': 'minbeds bedsmin',
  'baths[gte]': 'minbaths bathsmin',
};

/** Other names of the operators of filters. */
export const OPERATOR_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['[ge]', '[gte]'],
  ['[min]', '[gte]'],
  ['[from]', '[gte]'],
  ['[le]', '[lte]'],
  ['[max]', '[lte]'],
  ['[to]', '[lte]'],
  ['[eq]', ''],
]);

/** Words that mean exactly one choice, which `clean=true` accepts. */
export const CHOICE_WORDS: Words = {
  coming_soon: 'premarket',
  active: 'forsale available onmarket onthemarket',
  active_under_contract: 'activeundercontract activecontingent contingent activewithcontract',
  pending: 'pendingsale salepending',
  hold: 'onhold temporarilyoffmarket tempoffmarket',
  withdrawn: 'withdrawnfrommarket',
  closed: 'sold closedsale leased rented settled',
  expired: 'listingexpired',
  canceled: 'cancelled terminated',
  residential:
    'singlefamily singlefamilyhome singlefamilyresidence singlefamilyresidential house condo condominium townhouse townhome',
  residential_lease: 'residentialrental residentialforrent',
  residential_income: 'multifamily duplex triplex fourplex quadplex',
  land: 'vacantland lot lots lotsandland lotsland landlot landlots lotsvacantland',
  farm: 'farmandranch farmranch',
  commercial_sale: 'commercialforsale',
  commercial_lease: 'commercialforlease commercialrental',
  manufactured_in_park: 'manufacturedhomeinpark mobilehomeinpark',
};

/** Words that probably mean a choice. They are only used for suggestions. */
export const CHOICE_HINTS: Words = {
  coming_soon: 'upcoming soon',
  active: 'new listed live current',
  active_under_contract: 'undercontract underoffer saleagreed optionpending',
  hold: 'paused suspended',
  withdrawn: 'offmarket removed delisted',
  residential: 'home apartment dwelling',
  residential_lease: 'rental rent lease forrent forlease tolet',
  land: 'plot',
  farm: 'ranch',
  commercial_sale: 'commercial office retail',
  business_opportunity: 'business',
  manufactured_in_park: 'manufactured mobilehome',
};

/** The ASCII letters of a name, in lowercase. */
export function toPlain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
