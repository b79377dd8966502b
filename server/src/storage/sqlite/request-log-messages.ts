export interface LogQuery {
  id: number;
  sql: string;
  values: readonly unknown[];
}

export type LogResult = { id: number } & (
  | { columns: string[]; rows: unknown[][] }
  /** `errcode` is SQLite's result code, which an Error would lose between threads. */
  | { error: { message: string; errcode: unknown } }
);
