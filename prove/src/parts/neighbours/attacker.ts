import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cleanup, defer } from '../../../../testkit/src/cleanup.ts';
import type { AttackReport } from './attack.ts';
import type { Order } from './attack-process.ts';

const PROGRAM = join(import.meta.dirname, 'attack-process.ts');

/** Gives an order to the attacking process. @returns for `tell` and `stop`, the report of the attack so far */
export type Attacker = (order: Order) => Promise<AttackReport>;

/** Starts the process that runs the attacks. */
export function startAttacker(t: Cleanup): Attacker {
  const child = fork(PROGRAM);
  const ended = once(child, 'exit');
  defer(t, () => child.kill('SIGKILL'));
  return async (order) => {
    const answered = Promise.withResolvers<AttackReport>();
    child.once('message', answered.resolve);
    child.send(order);
    const answer = await Promise.race([answered.promise, ended]);
    if (Array.isArray(answer)) throw new Error('the attacking process has ended');
    return answer;
  };
}
