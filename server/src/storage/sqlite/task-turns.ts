import type { ReadRequest, ReadRows } from './reader-thread.ts';

/** A query for a reader thread, and who waits for its rows. */
export interface ReadTask {
  accountId: string;
  request: ReadRequest;
  resolve(answer: ReadRows): void;
  reject(error: unknown): void;
}

/** Tasks that wait; accounts take turns, so that one with many keeps nobody else waiting for all of them. */
export class TaskTurns {
  readonly #byAccount = new Map<string, ReadTask[]>();

  count(accountId: string): number {
    return this.#byAccount.get(accountId)?.length ?? 0;
  }

  add(task: ReadTask): void {
    const tasks = this.#byAccount.get(task.accountId);
    if (tasks === undefined) this.#byAccount.set(task.accountId, [task]);
    else tasks.push(task);
  }

  /** Whether the task was still waiting. */
  remove(task: ReadTask): boolean {
    const tasks = this.#byAccount.get(task.accountId) ?? [];
    const index = tasks.indexOf(task);
    if (index < 0) return false;
    tasks.splice(index, 1);
    if (tasks.length === 0) this.#byAccount.delete(task.accountId);
    return true;
  }

  take(): ReadTask | undefined {
    for (const [accountId, tasks] of this.#byAccount) {
      const task = tasks.shift();
      this.#byAccount.delete(accountId);
      if (tasks.length > 0) this.#byAccount.set(accountId, tasks);
      return task;
    }
    return undefined;
  }
}
