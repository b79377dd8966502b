import type { RowIssue, ValidationIssue } from '../../../model/errors.ts';

/** All that is said of one error code: its status, its page below `/docs/errors`, its place in the OpenAPI document. */
export interface ErrorEntry {
  status: number;
  /** A few words for a heading. */
  title: string;
  /** When it is sent. In this text and the next, code stands in backticks. */
  meaning: string;
  /** What to do about it. */
  remedy: string;
  /** Headers that its reply has besides those of every error, as they are in the example. */
  headers?: Record<string, string>;
  /** How to get it, with `$API` and `$KEY` as in the README: the last command is answered with the example. */
  commands?: readonly string[];
  example: ErrorExample;
}

export interface ErrorExample {
  message: string;
  members?: Record<string, unknown>;
  details?: ValidationIssue[] | RowIssue[];
}

/** What most commands carry. */
export const KEY = '-H "Authorization: Bearer $KEY"';
export const JSON_BODY = '-H "Content-Type: application/json"';
/** The listing of all examples. */
export const EXAMPLE_ID = 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h';
