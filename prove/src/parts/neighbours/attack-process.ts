// Runs attacks in a separate process, which has a lower priority than the service.
import { setPriority } from 'node:os';
import { Attack, type AttackReport } from './attack.ts';
import { corpus } from './corpus.ts';
import type { Scene } from './member.ts';

export type Order = { do: 'start'; name: string; scene: Scene } | { do: 'tell' } | { do: 'stop' };

const PRIORITY = 10;

setPriority(PRIORITY);
let attack: Attack | undefined;
process.on('message', (order: Order) => {
  if (order.do === 'start') start(order.name, order.scene);
  else process.send?.((order.do === 'stop' ? attack?.stop() : attack?.report) satisfies AttackReport | undefined);
});

function start(name: string, scene: Scene): void {
  const member = corpus.find((each) => each.name === name);
  if (member === undefined) throw new Error(`there is no attack ${name}`);
  attack = new Attack(member, scene);
  attack.start();
  process.send?.('started');
}
