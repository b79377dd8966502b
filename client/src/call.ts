/** What a call gives, and the reply that it came in. */
export interface Answer<T> {
  data: T;
  response: Response;
}

/** A promise of what a call gives, that can also give the reply, for its headers. */
export class Call<T> extends Promise<T> {
  readonly #answer: () => Promise<Answer<T>>;

  /** What `then` and the like return is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: () => Promise<Answer<T>>) {
    // It settles by its answer alone: so whoever takes only the reply is not told twice of one error.
    super(() => {});
    this.#answer = answer;
  }

  /** Also the reply: its status and headers. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer();
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one.
  override then<Value = T, Reason = never>(
    onFulfilled?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Reason | PromiseLike<Reason>) | null,
  ): Promise<Value | Reason> {
    return this.#answer()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }
}
