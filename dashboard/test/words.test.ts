import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingFields } from '../../server/src/http/contract/schemas/listings.ts';
import { sayFault } from '../src/lib/fault-words.ts';
import { readAmount, readNumber, sayHowToWrite } from '../src/lib/numbers.ts';
import { COLUMNS, makeTemplate, suggestColumn } from '../src/pages/listings/columns.ts';

test('an amount is read as it is written, and one that is 450,000 to some and 450 to others not at all', () => {
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
  ] as const) {
    assert.equal(readAmount(text), amount, text);
  }
  for (const text of ['450.000', '1.375', '1.250.000', '1.250,50', '12,34', '1,25,000', '450k', '$450', 'abc', '']) {
    assert.equal(readAmount(text), undefined, text);
  }
  assert.equal(readNumber('30.267'), 30.267, 'degrees have no thousands');
});

test('whoever writes a number that cannot be told is shown what can', () => {
  assert.equal(sayHowToWrite('450.000'), 'Write 450000 or 450, whichever is meant.');
  assert.equal(sayHowToWrite('1.375'), 'Write 1375 or 1.3750, whichever is meant.');
  assert.equal(sayHowToWrite('cheap'), 'Write a number such as 450000 or 1250.5.');
  for (const text of ['450000', '450', '1375', '1.3750']) assert.notEqual(readAmount(text), undefined, text);
});

test('faults are said in a person’s words, or in the service’s where there are no others', () => {
  const say = (field: string, code: string, message: string) => sayFault({ field, code, message });
  assert.equal(say('address', 'required', 'Is required: a string.'), 'Fill this in.');
  assert.equal(say('beds', 'invalid_type', 'Must be a number, not a string.'), 'Must be a number, not text.');
  assert.match(say('currency', 'invalid_choice', 'Must be an ISO 4217 code …'), /three letters/);
  assert.match(say('listPrice', 'inconsistent', 'Is required together with currency.'), /price/);
  assert.equal(say('beds', 'out_of_range', 'Must be from 0 to 999.'), 'Must be from 0 to 999.');
});

test('the template has every column that a file can have, and other names lead to them', async () => {
  const accepted = Object.keys(listingFields);
  assert.deepEqual(makeTemplate().trim().split(',').sort(), accepted.toSorted());
  for (const [given, meant] of [
    ['price', 'listPrice'],
    ['Your own id', 'externalId'],
    ['Unit', 'unitNumber'],
    ['TYPE', 'propertyType'],
    ['zip_code', 'postalCode'],
    ['colour', undefined],
  ] as const) {
    assert.equal(suggestColumn(given), meant, given);
  }
  const others = COLUMNS.flatMap(({ also }) => also);
  assert.equal(new Set(others).size, others.length, 'each name means one column');
});
