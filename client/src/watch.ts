import { TimeoutError } from './errors.ts';
import { TIMER_MS_MAX } from './retry.ts';

/** Aborts a request when the caller's signal aborts, or when the service sends nothing for too long. */
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

  /** Starts the timeout. Call it when the client begins to wait for the service. */
  start(): void {
    this.rest();
    if (this.#timeoutMs > TIMER_MS_MAX || this.signal.aborted) return;
    this.#timer = setTimeout(() => this.end(new TimeoutError(this.#timeoutMs)), this.#timeoutMs);
  }

  /** Pauses the timeout. Call it when the service waits for the caller. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Aborts the request if it is still running, and detaches from the caller's signal. */
  end(reason?: unknown): void {
    this.rest();
    this.#given?.removeEventListener('abort', this.#stop);
    this.#controller.abort(reason);
  }
}
