import { Readable } from 'node:stream';
import { parentPort, Worker } from 'node:worker_threads';

// This module runs commands one by one in a thread that has already loaded the program. In separate
// processes, each command would load the program again, which takes longer than the command itself.

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

type Input = string | Uint8Array;

interface Run {
  args: string[];
  env: Record<string, string>;
  /** The command's stdin. */
  input: Input;
}

/** Runs commands in a worker thread. The module of the thread must call `serveRuns`. */
export class WarmProgram {
  readonly #module: URL;
  #thread: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(module: URL) {
    this.#module = module;
  }

  /** Resolves when the command has ended and nothing would keep its process alive. */
  run(run: Run): Promise<CommandResult> {
    const result = this.#last.then(() => this.#send(run));
    this.#last = result.catch(() => {});
    return result;
  }

  #send(run: Run): Promise<CommandResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
    this.#thread ??= new Worker(this.#module);
    const thread = this.#thread;
    const onExit = (code: number) => reject(new Error(`The command ended its thread with ${code}`));
    thread.ref();
    thread.once('error', reject).once('exit', onExit);
    thread.once('message', (result: CommandResult) => {
      thread.off('error', reject).off('exit', onExit);
      thread.unref();
      resolve(result);
    });
    thread.postMessage(run);
    return promise;
  }
}

export function serveRuns(run: (args: string[]) => Promise<void>): void {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: Input, ...rest: unknown[]) => {
      output[name].push(Buffer.from(chunk));
      for (const done of rest) if (typeof done === 'function') queueMicrotask(() => done());
      return true;
    };
  }
  parentPort?.on('message', async ({ args, env, input }: Run) => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)]);
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    process.exitCode = 0;
    await run(args);
    await untilIdle();
    // In a separate process, these listeners would end with the process.
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
    const [stdout, stderr] = [output.stdout, output.stderr].map((chunks) => Buffer.concat(chunks.splice(0)).toString());
    parentPort?.postMessage({ code: process.exitCode, stdout, stderr });
  });
}

async function untilIdle(): Promise<void> {
  const keepsAlive = (name: string) => !['MessagePort', 'Immediate'].includes(name);
  while (process.getActiveResourcesInfo().some(keepsAlive)) await new Promise(setImmediate);
}
