import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isCommonPassword } from '../../src/model/common-passwords.ts';
import { parsePassword } from '../../src/model/passwords.ts';

const LIST = readFileSync(join(import.meta.dirname, '../../src/lib/common-passwords.txt'), 'utf8')
  .trimEnd()
  .split(/\s/);

describe('common passwords are rejected', () => {
  test('the 3,000 most common ones, in any case', () => {
    const long = LIST.filter((text) => text.length >= 8);
    assert.ok(long.length >= 3_000);
    for (const text of long) assert.ok(isCommonPassword(text.toUpperCase()), text);
  });

  for (const password of [
    ...['liverpool', 'Summer2026', 'Autumn2026!', 'November26', 'letmein123', 'Password.1', '123dragon!'],
    ...['RealEstate1', 'Listings2026', 'P@ssw0rd', 'changeme', '00000000', 'aaaaaaaaaaaa', 'abababab', '12341234'],
    ...['abcdefghij', '0123456789', '987654321', '1qaz2wsx'],
  ]) {
    test(password, () => {
      assert.throws(() => parsePassword(password, []), { code: 'validation_failed' });
    });
  }
});

describe('several words, or a common password with a long enough suffix, are accepted', () => {
  for (const password of [
    ...['correct horse battery staple', 'summer20261122x9', 'plover-anvil', 'tr0ub4dor&3', 'ünïcödé-9'],
  ]) {
    test(password, () => {
      assert.equal(parsePassword(password, []), password);
    });
  }
});

describe('passwords made mostly of public data are rejected', () => {
  const known = ['Ada Lovelace', 'countess@analytical.example', 'Hill Country Homes'];
  for (const password of [
    ...['Lovelace1815', 'adalovelace', 'Ada Lovelace!', 'countess@analytical.example', 'COUNTESS2026', 'hillcountry'],
    ...['Hill Country Homes', 'lovelace-ada-1', 'Lovelacé99'],
  ]) {
    test(password, () => {
      const message = 'Must contain more than names and the email address; use several words.';
      const details = [{ field: 'newPassword', code: 'invalid_choice', message }];
      assert.throws(() => parsePassword(password, known, 'newPassword'), { code: 'validation_failed', details });
    });
  }
  test('unless they have enough other characters', () => {
    for (const password of ['lovelace plover anvil', 'correct horse battery staple']) {
      assert.equal(parsePassword(password, known), password);
    }
    assert.equal(
      parsePassword('adamant7', ['Ada Li', 'al@example.com']),
      'adamant7',
      'short names may be part of other words',
    );
  });
});
