import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { generateSecret, hashSecret, isWellFormedSecret, startOfSecret } from '../../src/model/api-keys.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a key is plk_, 32 random base62 characters, and the CRC32 of both in 6 base62 characters', () => {
  for (let turn = 0; turn < 1_000; turn += 1) {
    const secret = generateSecret();
    assert.match(secret, /^plk_[0-9A-Za-z]{38}$/);
    const digits = [...secret.slice(-6)].map((digit) => BASE62.indexOf(digit));
    const checksum = digits.reduce((value, digit) => value * 62 + digit, 0);
    assert.equal(checksum, crc32(secret.slice(0, -6)));
    assert.ok(isWellFormedSecret(secret));
  }
});

test('keys are unique and use every base62 character', () => {
  const secrets = Array.from({ length: 1_000 }, generateSecret);
  assert.equal(new Set(secrets).size, secrets.length);
  const used = new Set(secrets.flatMap((secret) => [...secret.slice(4, 36)]));
  assert.deepEqual([...used].sort(), [...BASE62]);
});

test('a key with one wrong character is detected without the database', () => {
  const secret = generateSecret();
  for (let index = 0; index < secret.length; index += 1) {
    for (const character of `${BASE62}_-. é`) {
      const changed = secret.slice(0, index) + character + secret.slice(index + 1);
      assert.equal(isWellFormedSecret(changed), changed === secret, changed);
    }
  }
});

test('a truncated, extended, or surrounded key is invalid', () => {
  const secret = generateSecret();
  const wrong = [
    ...['', 'plk_', secret.slice(0, -1), secret.slice(1), `${secret}0`, `${secret}\n`, ` ${secret}`],
    ...[secret.toUpperCase(), `${secret}${secret}`],
  ];
  for (const text of wrong) assert.equal(isWellFormedSecret(text), false, JSON.stringify(text));
});

test('the stored and shown parts do not reveal the key', () => {
  const secret = generateSecret();
  assert.match(hashSecret(secret), /^[0-9a-f]{64}$/);
  assert.equal(startOfSecret(secret), secret.slice(0, 8));
});
