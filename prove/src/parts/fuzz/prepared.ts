import type { Target } from './api.ts';

/** Whose request it is: `administrator` and below only in `/admin`. */
export type CallerName =
  | 'key'
  | 'reader'
  | 'deleted key'
  | 'wrong key'
  | 'nobody'
  | 'administrator'
  | 'member'
  | 'another page';

/** Why a request must be refused. */
interface Refusal {
  step: number;
  status: number;
  codes: readonly string[];
}

/** A request as it goes out, and what is known of its reply. */
export interface Prepared {
  target: Target;
  caller: CallerName;
  method: string;
  path: string;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: string | undefined;
  /** What was sent, if it is a JSON body. */
  value: unknown;
  at: number;
  /** The listing that it names, if there is one. */
  listingId: string | undefined;
  refusals: Refusal[];
  /** Whether what the document says in words may refuse it: its query, its body. */
  mayRefuse: { query: boolean; body: boolean };
}
