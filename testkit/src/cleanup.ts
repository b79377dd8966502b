/** Anything with cleanup, such as a test. */
export interface Cleanup {
  after(end: () => unknown): void;
}

const stacks = new WeakMap<Cleanup, AsyncDisposableStack>();

/**
 * Runs `end` after the test. Unlike the hooks of `t.after`, what started last ends first, and a
 * failure does not keep the rest running.
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
