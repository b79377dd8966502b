/** Listings in their order, as the JSON texts that are stored. */
export interface FoundListings {
  first: readonly string[];
  /** What comes after the first ones, read run by run as it is asked for; undefined if nothing does. */
  rest: AsyncIterable<readonly string[]> | undefined;
  /** Where these end if they are a page and more come after it: what `after` takes. */
  pageEnd: string | undefined;
}

/** Which part of a list is asked for. */
export interface PageRequest {
  /** Those that come after this place in the list; without it, from its beginning. */
  after: string | undefined;
  /** How many make a page; without it, all. */
  limit: number | undefined;
  /** Aborts when the client leaves: a search that is still waiting is canceled. */
  signal: AbortSignal;
}
