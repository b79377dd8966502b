import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { signWebhook, verifyWebhook } from '../src/webhooks.ts';

interface Vector {
  name: string;
  secret: string;
  headers: Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;
  body: string;
  expected: 'valid' | 'invalid';
}

const FILE = join(import.meta.dirname, 'webhook-vectors.json');
const SCRIPT = join(import.meta.dirname, 'support/standard_webhooks.py');
const vectors: Vector[] = JSON.parse(readFileSync(FILE, 'utf8')).vectors;
const hasPython = spawnSync('python3', ['--version']).status === 0;

function sentAt({ headers }: Vector): Date {
  return new Date(Number(headers['webhook-timestamp']) * 1000);
}

/** Sets the clock, because the library always compares a timestamp with the current time. */
function isValidByLibrary(vector: Vector): boolean {
  mock.timers.enable({ apis: ['Date'], now: sentAt(vector) });
  try {
    new Webhook(vector.secret).verify(vector.body, vector.headers);
    return true;
  } catch {
    return false;
  } finally {
    mock.timers.reset();
  }
}

describe('each test vector', () => {
  test('is judged as expected by verifyWebhook', async () => {
    assert.ok(vectors.length > 10);
    for (const vector of vectors) {
      const verifying = verifyWebhook(vector.body, vector.headers, vector.secret, { now: sentAt(vector) });
      const { id, ...message } = await verifying.catch((error) => error);
      if (vector.expected === 'invalid') assert.equal(message.name, undefined, vector.name);
      else assert.deepEqual([id, message], [vector.headers['webhook-id'], JSON.parse(vector.body)], vector.name);
    }
  });

  test('is judged as expected by the package standardwebhooks', () => {
    for (const vector of vectors) assert.equal(isValidByLibrary(vector), vector.expected === 'valid', vector.name);
  });

  test('is judged as expected by the algorithm in Python', { skip: !hasPython && 'needs python3' }, async () => {
    const { stdout } = await promisify(execFile)('python3', [SCRIPT, FILE]);
    assert.deepEqual(
      stdout.trim().split('\n'),
      vectors.map(({ expected }) => expected),
    );
  });
});

describe('the package standardwebhooks', () => {
  const secret = vectors[0]?.secret ?? '';
  const bodies = vectors.map(({ body }) => body);

  test('accepts what signWebhook signs', async () => {
    for (const [index, body] of bodies.entries()) {
      const headers = await signWebhook(body, secret, { id: `msg_${index}` });
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    }
  });

  test('signs what verifyWebhook accepts', async () => {
    for (const [index, body] of bodies.entries()) {
      const now = new Date();
      const headers = {
        'webhook-id': `msg_${index}`,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(`msg_${index}`, now, body),
      };
      const event = await verifyWebhook(body, headers, secret);
      assert.deepEqual(event, { ...JSON.parse(body), id: `msg_${index}` });
    }
  });
});
