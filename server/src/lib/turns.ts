import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * Lets everybody else have their turn. Of many that wait here only one goes on in each turn of the event loop: so
 * however many take long, nobody else waits for more than one of them.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}
