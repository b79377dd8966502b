import { TimeoutError } from './errors.ts';
import { TIMER_MS_MAX } from './retry.ts';

/** Ends a request when its caller says so, or when nothing has come for too long. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #given: AbortSignal | undefined;
  readonly #stop = () => this.end(this.#given?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, given: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#given = given;
    if (given?.aborted) this.#stop();
    else given?.addEventListener('abort', this.#stop);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on the service is waited for. */
  start(): void {
    this.rest();
    if (this.#timeoutMs > TIMER_MS_MAX || this.signal.aborted) return;
    this.#timer = setTimeout(() => this.end(new TimeoutError(this.#timeoutMs)), this.#timeoutMs);
  }

  /** The service is not waited for: it is the caller's turn. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Lets go of the connection, if it still runs, and of the caller's signal. */
  end(reason?: unknown): void {
    this.rest();
    this.#given?.removeEventListener('abort', this.#stop);
    this.#controller.abort(reason);
  }
}
