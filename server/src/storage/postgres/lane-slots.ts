import type { Lane } from './lane.ts';

interface Waiter {
  lane: Lane;
  enter(leave: () => void): void;
}

/**
 * Which lanes are written now. The others wait in a queue, from which a lane with a long job is taken only while another
 * slot is left for short ones, if there are several: long writes never hold all of them.
 */
export class LaneSlots {
  #free: number;
  #freeForLong: number;
  readonly #queue: Waiter[] = [];

  constructor(count: number) {
    this.#free = count;
    this.#freeForLong = Math.max(1, count - 1);
  }

  /** Resolves when it is the lane's turn. @returns to be called when the turn is over */
  enter(lane: Lane): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    this.#queue.push({ lane, enter: resolve });
    this.#admit();
    return promise;
  }

  #admit(): void {
    while (this.#free > 0) {
      const index = this.#queue.findIndex(({ lane }) => !lane.isLong || this.#freeForLong > 0);
      const [waiter] = index < 0 ? [] : this.#queue.splice(index, 1);
      if (waiter === undefined) return;
      waiter.enter(this.#take(waiter.lane.isLong));
    }
  }

  #take(isLong: boolean): () => void {
    this.#free -= 1;
    if (isLong) this.#freeForLong -= 1;
    return () => {
      this.#free += 1;
      if (isLong) this.#freeForLong += 1;
      this.#admit();
    };
  }
}
