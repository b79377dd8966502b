import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCell, toCsvLine } from '../../server/src/http/contract/schemas/listing-csv.ts';
import { listingFields } from '../../server/src/http/contract/schemas/listings.ts';
import { COUNTRIES, CURRENCIES } from '../../server/src/model/codes.ts';
import { toCsv } from '../src/lib/csv.ts';
import { describeIssue } from '../src/lib/issue-texts.ts';
import { readAmount, readNumber, suggestAmount } from '../src/lib/numbers.ts';
import { CODES } from '../src/pages/listings/codes.ts';
import { makeTemplate } from '../src/pages/listings/columns.ts';

test('amounts with any usual separator are parsed, and an ambiguous amount is not guessed', () => {
  for (const [text, amount] of [
    ['450000', 450_000],
    [' 450,000 ', 450_000],
    ['1,250,000.5', 1_250_000.5],
    ['1 250 000', 1_250_000],
    ['1’250’000', 1_250_000],
    ['1250.50', 1250.5],
    ['0.125', 0.125],
    ['.5', 0.5],
    ['450,000.000', 450_000],
    ['-3', -3],
    ['$450,000', 450_000],
    ['€ 450000', 450_000],
    ['450 000 €', 450_000],
    ['USD 1,250', 1250],
  ] as const) {
    assert.equal(readAmount(text), amount, text);
  }
  for (const text of [
    '450.000',
    '1.375',
    '1.250.000',
    '1.250,50',
    '12,34',
    '1,25,000',
    '450k',
    '$450.000',
    'abc',
    '',
  ]) {
    assert.equal(readAmount(text), undefined, text);
  }
  assert.equal(readNumber('30.267'), 30.267, 'degrees have no thousands separator');
});

test('the suggestions for an ambiguous or invalid number can be parsed', () => {
  assert.equal(suggestAmount('450.000'), 'Did you mean 450,000 or 450?');
  assert.equal(suggestAmount('$450.000'), 'Did you mean 450,000 or 450?');
  assert.equal(suggestAmount('1.375'), 'Did you mean 1,375 or 1.3750?');
  assert.equal(suggestAmount('cheap'), 'Enter a number, such as 450,000 or 1250.5.');
  for (const text of ['450,000', '450', '1,375', '1.3750']) assert.notEqual(readAmount(text), undefined, text);
});

test('validation issues get a plain explanation, or the service’s message by default', () => {
  const say = (field: string, code: string, message: string) => describeIssue({ field, code, message });
  assert.equal(say('address', 'required', 'Is required: a string.'), 'Enter an address.');
  assert.equal(say('beds', 'invalid_type', 'Must be a number, not a string.'), 'Must be a number, not text.');
  assert.match(say('currency', 'invalid_choice', 'Must be an ISO 4217 code …'), /three-letter/);
  assert.match(say('listPrice', 'inconsistent', 'Is required together with currency.'), /price/);
  assert.equal(say('beds', 'out_of_range', 'Must be from 0 to 999.'), 'Must be from 0 to 999.');
});

test('the template has every import column', () => {
  assert.deepEqual(makeTemplate().trim().split(',').sort(), Object.keys(listingFields).toSorted());
});

test('the CSV of selected listings is encoded as in the service’s exports', () => {
  const values = [
    'plain',
    '=1+1',
    "'=1",
    'a;-b',
    'a "quoted", text',
    'two\nlines',
    '',
    undefined,
    3,
    { a: ';=1' },
    [';@'],
  ];
  const line = toCsvLine(values.map(encodeCell));
  assert.equal(toCsv(Object.keys(values), [{ ...values }]), toCsvLine(Object.keys(values)) + line);
});

test('the form offers the service’s currencies and countries', () => {
  assert.deepEqual(CODES.currency.trim().split(/\s+/), [...CURRENCIES]);
  assert.deepEqual(CODES.country.trim().split(/\s+/), [...COUNTRIES]);
});
