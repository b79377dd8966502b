/** Anything that runs cleanup functions when it ends, such as a test. */
export interface Cleanup {
  after(end: () => unknown): void;
}

const stacks = new WeakMap<Cleanup, AsyncDisposableStack>();

/**
 * Runs `end` after the test. Unlike with `t.after`, what was started last ends first, and one failure does
 * not leave the rest running.
 */
export function defer(t: Cleanup, end: () => unknown): void {
  let stack = stacks.get(t);
  if (stack === undefined) {
    const created = new AsyncDisposableStack();
    stacks.set(t, created);
    t.after(() => created.disposeAsync());
    stack = created;
  }
  stack.defer(async () => void (await end()));
}
