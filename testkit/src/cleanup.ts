/** Anything that runs cleanup functions when it ends, such as a test. */
export interface Cleanup {
  after(end: () => unknown): void;
}

const stacks = new WeakMap<Cleanup, AsyncDisposableStack>();

/** Runs `end` after the test. Unlike `t.after`, runs the functions in reverse order, and all even if one fails. */
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
