import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createResolve } from '../../src/lib/resolve-name.ts';

/** A DNS server that never responds. */
const silent = createSocket('udp4');
silent.bind(0, '127.0.0.1');
await once(silent, 'listening');
after(() => silent.close());

const resolver = new Resolver({ timeout: 1_000, tries: 1 });
resolver.setServers([`127.0.0.1:${silent.address().port}`]);
const resolve = promisify(createResolve(resolver));

test('names whose servers never respond do not delay others, and end with an error', async () => {
  let ended = 0;
  const names = Array.from({ length: 40 }, (_, index) =>
    resolve(`name${index}.example.com`).then(
      () => assert.fail('it has an address'),
      (error) => {
        ended += 1;
        return error.code;
      },
    ),
  );
  const addresses = await promisify(lookup)('localhost', { all: true });
  assert.ok(addresses.length > 0);
  assert.equal(ended, 0);
  assert.deepEqual(new Set(await Promise.all(names)), new Set(['ETIMEOUT']));
});

test('a name without a dot is looked up by the system', async () => {
  const addresses = await resolve('localhost');
  assert.ok(addresses.some(({ address }) => address === '127.0.0.1' || address === '::1'));
});
