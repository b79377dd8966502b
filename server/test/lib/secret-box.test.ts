import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { SecretBox } from '../../src/lib/secret-box.ts';

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

test('a sealed secret does not show the secret, and opens only with its key, for its owner, and unchanged', () => {
  const box = new SecretBox(randomBytes(32));
  const sealed = box.seal(SECRET, 'acc_1/whk_1');
  assert.ok(!sealed.includes(SECRET.slice(6)));
  assert.notEqual(box.seal(SECRET, 'acc_1/whk_1'), sealed);
  assert.equal(box.open(sealed, 'acc_1/whk_1'), SECRET);
  assert.throws(() => box.open(sealed, 'acc_1/whk_2'));
  assert.throws(() => new SecretBox(randomBytes(32)).open(sealed, 'acc_1/whk_1'));
  assert.throws(() => new SecretBox(undefined).open(sealed, 'acc_1/whk_1'), /SECRETS_KEY_FILE/);
  assert.throws(() => box.open(`${sealed.slice(0, -4)}AAAA`, 'acc_1/whk_1'));
});

test('without a key, secrets are stored as they are, and a key that is set later still opens them', () => {
  assert.equal(new SecretBox(undefined).seal(SECRET, 'a'), SECRET);
  assert.equal(new SecretBox(randomBytes(32)).open(SECRET, 'a'), SECRET);
});
