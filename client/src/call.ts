/** A result, and the HTTP response that contained it. */
export interface Answer<T> {
  data: T;
  response: Response;
}

/** A promise that resolves to a result, and can also provide the HTTP response. */
export class Call<T> extends Promise<T> {
  readonly #answer: () => Promise<Answer<T>>;

  /** Makes `finally` return a plain promise, because the constructor of `Call` does not accept an executor. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: () => Promise<Answer<T>>) {
    // The promise itself never settles. If it could reject, a caller that uses only `withResponse()` would
    // leave a second rejection unhandled.
    super(() => {});
    this.#answer = answer;
  }

  /** Returns the result together with the response, which has the status and the headers. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer();
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has `then`.
  override then<Value = T, Reason = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Reason | PromiseLike<Reason>) | null,
  ): Promise<Value | Reason> {
    return this.#answer()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }
}
