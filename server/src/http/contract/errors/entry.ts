import type { RowIssue, ValidationIssue } from '../../../model/errors.ts';

/** An error code's status, and its description on the pages below `/docs/errors` and in the OpenAPI document. */
export interface ErrorEntry {
  status: number;
  /** A heading, without a period. */
  title: string;
  /** The causes of the error. Here and in `remedy`, code is in backticks. */
  meaning: string;
  remedy: string;
  /** Headers of the example response, in addition to those of every error. */
  headers?: Record<string, string>;
  /** Commands that cause the error, with `$API` and `$KEY` as in the README. The last one returns the example. */
  commands?: readonly string[];
  example: ErrorExample;
}

export interface ErrorExample {
  message: string;
  members?: Record<string, unknown>;
  details?: ValidationIssue[] | RowIssue[];
}

export const KEY = '-H "Authorization: Bearer $KEY"';
export const JSON_BODY = '-H "Content-Type: application/json"';
export const EXAMPLE_ID = 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h';
