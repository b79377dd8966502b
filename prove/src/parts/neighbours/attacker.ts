import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cleanup, defer } from '../../../../testkit/src/cleanup.ts';
import type { AttackReport } from './attack.ts';
import type { Order } from './attack-process.ts';
import type { Scene } from './member.ts';

const PROGRAM = join(import.meta.dirname, 'attack-process.ts');

/** The process that runs the attacks. */
export class Attacker {
  readonly #child: ChildProcess = fork(PROGRAM);
  readonly #ended = once(this.#child, 'exit');

  constructor(t: Cleanup) {
    defer(t, () => this.#child.kill('SIGKILL'));
  }

  async start(name: string, scene: Scene): Promise<void> {
    await this.#tell({ do: 'start', name, scene });
  }

  /** Returns the report of the current attack so far. */
  tell(): Promise<AttackReport> {
    return this.#tell({ do: 'tell' });
  }

  stop(): Promise<AttackReport> {
    return this.#tell({ do: 'stop' });
  }

  async #tell(order: Order): Promise<AttackReport> {
    const answered = Promise.withResolvers<AttackReport>();
    this.#child.once('message', answered.resolve);
    this.#child.send(order);
    const answer = await Promise.race([answered.promise, this.#ended]);
    if (Array.isArray(answer)) throw new Error('the attacking process has ended');
    return answer;
  }
}
