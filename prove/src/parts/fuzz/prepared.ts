import type { Callers } from './accounts.ts';
import type { Target } from './api.ts';

interface Refusal {
  step: number;
  status: number;
  codes: readonly string[];
}

/** A request, and what is known about its response. */
export interface Prepared {
  target: Target;
  caller: keyof Callers;
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: string | undefined;
  /** The JSON value of the body. */
  value: unknown;
  at: number;
  listingId: string | undefined;
  refusals: Refusal[];
  /** Whether rules in words may reject the query or the body. */
  mayRefuse: { query: boolean; body: boolean };
}
