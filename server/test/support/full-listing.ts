/** A listing with every field, including text that a spreadsheet would run as a formula. */
export const FULL_LISTING = {
  ...{ externalId: 'MLS-20931', address: '12 "Elm" Street, rear', unitNumber: '-4b', city: 'Zürich' },
  ...{ stateOrProvince: 'ZH', postalCode: '08001', country: 'CH', beds: 0, baths: 999, status: 'coming_soon' },
  ...{
    propertyType: 'land',
    listPrice: 999_999_999_999.99,
    currency: 'CHF',
    closePrice: 0.01,
    livingArea: 120.25,
    livingAreaUnits: 'sqm',
  },
  ...{ lotSizeArea: 0.0001, lotSizeUnits: 'acres', yearBuilt: 1000, onMarketDate: '2024-02-29' },
  ...{ closeDate: '2026-11-22', latitude: -1e-8, longitude: -97.12345678 },
  description: '=1+1\n\n\tA "garden", four',
  photos: [{ url: 'https://example.com/2.jpg', caption: 'a,\n"b"' }, { url: 'https://example.com/1.jpg' }],
  metadata: {
    agentId: 'A-17',
    openHouse: true,
    isNew: false,
    score: -0.5,
    '=a': '=1\u2028',
    'b"': '',
    c: 1e-7,
    e: '\u00a0 x ',
  },
};
