import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { BlockList } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Admission } from '../../src/http/gate/admission.ts';
import type { Exchange } from '../../src/http/protocol/exchange.ts';
import { UnreadConnections } from '../../src/http/protocol/unread-connections.ts';

/** Rejects a request on each of 60 connections. `tick` lets time pass and returns how many have been read again. */
function rejectMany(t: TestContext, room: () => number) {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const unread = new UnreadConnections(room);
  const paused = new Set<object>();
  const open = () => {
    const socket = { destroyed: false, pause: () => paused.add(socket), resume: () => paused.delete(socket) };
    return socket;
  };
  const reject = (socket = open()) => {
    const outgoing = new EventEmitter();
    unread.add({ incoming: { socket, complete: true }, outgoing } as unknown as Exchange);
    outgoing.emit('close');
  };
  const sockets = Array.from({ length: 60 }, open);
  for (const socket of sockets) reject(socket);
  assert.equal(paused.size, 60);
  return {
    reject,
    sockets,
    tick(durationMs: number): number {
      for (let passedMs = 0; passedMs < durationMs; passedMs += 20) {
        nowMs += 20;
        t.mock.timers.tick(20);
      }
      return 60 - paused.size;
    },
  };
}

test('after a rejection, a connection is read again after a second, and 20 connections every 20 ms', (t) => {
  const { tick } = rejectMany(t, () => 0);
  assert.equal(tick(980), 0);
  assert.deepEqual([tick(20), tick(20), tick(20)], [20, 40, 60]);
});

test('a connection with several rejected requests counts once, and a closed one not at all', (t) => {
  const { reject, sockets, tick } = rejectMany(t, () => 0);
  const [first] = sockets;
  for (let count = 0; count < 50; count += 1) reject(first);
  for (const socket of sockets.slice(1, 41)) socket.destroyed = true;
  assert.equal(tick(1_000), 20, '19 that are open, and the first');
});

test('once there is room for more requests and none is rejected any more, as many connections are read again', (t) => {
  let room = 35;
  const { reject, tick } = rejectMany(t, () => room);
  assert.equal(tick(20), 0, 'requests have just been rejected');
  assert.equal(tick(20), 35);
  room = 10;
  reject();
  assert.equal(tick(20), 34, 'the connection that was rejected again is not read');
  assert.equal(tick(20), 44);
});

test('a connection of a trusted proxy is still read after a request was rejected because of its account', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const proxies = new BlockList();
  proxies.addAddress('192.0.2.1');
  const admission = new Admission({ isOverfull: () => true }, proxies);
  const isPausedAfter = (note: 'noteRejection' | 'noteAccountRejection', remoteAddress: string) => {
    const pause = t.mock.fn();
    const outgoing = new EventEmitter();
    const incoming = { socket: { remoteAddress, pause }, complete: true };
    admission[note]({ incoming, outgoing } as unknown as Exchange);
    outgoing.emit('close');
    return pause.mock.callCount() === 1;
  };
  assert.equal(isPausedAfter('noteAccountRejection', '::ffff:192.0.2.1'), false);
  assert.equal(isPausedAfter('noteAccountRejection', '192.0.2.2'), true);
  assert.equal(isPausedAfter('noteRejection', '192.0.2.1'), true, 'the whole service is overloaded');
});
