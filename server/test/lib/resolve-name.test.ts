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
        return error.message.replace(/^name\d+/, 'name');
      },
    ),
  );
  const addresses = await promisify(lookup)('localhost', { all: true });
  assert.ok(addresses.length > 0);
  assert.equal(ended, 0);
  assert.deepEqual(new Set(await Promise.all(names)), new Set(['name.example.com could not be resolved (ETIMEOUT)']));
});

test('a name that does not exist is an error, and one that a DNS server knows is resolved', async () => {
  const answers = new Map([['has.example.com', [192, 0, 2, 7]]]);
  const server = createSocket('udp4', (query, { port }) => server.send(reply(query, answers), port));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const own = new Resolver({ timeout: 5_000, tries: 1 });
  own.setServers([`127.0.0.1:${server.address().port}`]);
  const ask = promisify(createResolve(own));
  assert.deepEqual(await ask('has.example.com'), [{ address: '192.0.2.7', family: 4 }]);
  await assert.rejects(ask('none.example.com'), { message: 'none.example.com could not be resolved (ENOTFOUND)' });
});

test('a name without a dot is looked up by the system', async () => {
  const addresses = await resolve('localhost');
  assert.ok(addresses.some(({ address }) => address === '127.0.0.1' || address === '::1'));
});

/** A DNS response (RFC 1035 §4.1): an unknown name does not exist, and a known name has only an IPv4 address. */
function reply(query: Buffer, answers: Map<string, number[]>): Buffer {
  const labels: string[] = [];
  let end = 12;
  for (; query[end] !== 0; end += 1 + (query[end] ?? 0)) {
    labels.push(query.toString('latin1', end + 1, end + 1 + (query[end] ?? 0)));
  }
  const question = query.subarray(12, end + 5);
  const isIpv4 = query.readUInt16BE(end + 1) === 1;
  const address = answers.get(labels.join('.').toLowerCase());
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  if (address === undefined || !isIpv4) return Buffer.concat([header, question]);
  header.writeUInt16BE(1, 6);
  // The name of the question, type A, class IN, 60 s, four bytes.
  return Buffer.concat([header, question, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address])]);
}
