import { TimeoutError } from './errors.ts';
import { TIMER_MS_MAX } from './retry.ts';

/** Aborts a request when the caller's signal aborts, or when the service sends nothing for too long. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #given: AbortSignal | undefined;
  readonly #stop = () => this.end(this.#given?.reason);
  /** How many things pause the timeout: at first, the unsent request; later, the source, the caller, or both. */
  #pauses = 1;
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

  /** Ends a pause, and starts the timeout if it was the last one. Call it when the client begins to wait. */
  start(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0 || this.#timeoutMs > TIMER_MS_MAX) return;
    this.#timer = setTimeout(() => this.end(new TimeoutError(this.#timeoutMs)), this.#timeoutMs);
  }

  /** Pauses the timeout until the matching `start`. Call it when the service waits for the caller or the source. */
  rest(): void {
    this.#pauses += 1;
    clearTimeout(this.#timer);
  }

  /** Aborts the request if it is still running, and detaches from the caller's signal. */
  end(reason?: unknown): void {
    this.rest();
    this.#given?.removeEventListener('abort', this.#stop);
    this.#controller.abort(reason);
  }
}
