import type { z } from 'zod';
import { INPUT_BYTES_MAX } from '../contract/operation.ts';
import { invalidFields, toIssues } from '../contract/schemas/issues.ts';
import { parseBody, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';

const READ_ONLY: ReadonlySet<string> = new Set();

/** @throws {AppError} as `readBody` or `parseBody` does, or `validation_failed` with all issues */
export async function readInput<S extends z.ZodObject>(exchange: Exchange, schema: S): Promise<z.output<S>> {
  return checkInput(parseBody(await readBody(exchange, INPUT_BYTES_MAX)), schema);
}

/** @throws {AppError} `validation_failed` with all issues */
export function checkInput<S extends z.ZodObject>(value: unknown, schema: S): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const fields = { accepted: Object.keys(schema.shape), readOnly: READ_ONLY };
  throw invalidFields(toIssues(result.error.issues, fields));
}
