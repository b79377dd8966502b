import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generateSecret, isWellFormedSecret } from '../../server/src/model/api-keys.ts';
import { describeKeyFault } from '../src/index.ts';

describe('the check of an API key', () => {
  const key = generateSecret();

  test('accepts every generated key', () => {
    for (let index = 0; index < 1000; index += 1) assert.equal(describeKeyFault(generateSecret()), undefined);
  });

  test('agrees with the service', () => {
    const others = [
      ...Array.from(key, (_, at) => `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`),
      ...Array.from(key, (_, at) => key.slice(0, at)),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      `${key.slice(0, -1)}_`,
      `${key.slice(0, -1)}é`,
      key.toLowerCase(),
    ];
    for (const other of others) {
      assert.equal(describeKeyFault(other) === undefined, isWellFormedSecret(other), other);
    }
  });

  test('says what is wrong, and never quotes the key', () => {
    const faults: [string, RegExp][] = [
      ['', /is empty/],
      [`${key} `, /has spaces or line breaks around it/],
      [`sk_${key.slice(4)}`, /starts with plk_/],
      [key.slice(0, -1), /has 41 characters instead of 42; copy it again/],
      [`${key.slice(0, -1)}-`, /has invalid characters/],
      [`${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`, /checksum does not match; copy it again/],
    ];
    for (const [wrong, words] of faults) {
      const fault = describeKeyFault(wrong) ?? '';
      assert.match(fault, words);
      assert.ok(!fault.includes(key.slice(4, 20)));
    }
  });
});
