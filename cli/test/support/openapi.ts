import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../../testkit/src/process.ts';

/** The command line reads all pages itself. */
const PAGING = new Set(['cursor', 'count']);

/** The fields, choices, and parameters of the OpenAPI document. */
export function readOpenApi() {
  const document = JSON.parse(readFileSync(join(REPOSITORY, 'openapi/openapi.json'), 'utf8'));
  const properties: Record<string, { enum?: string[] }> = document.components.schemas.ListingInput.properties;
  const parameters: { name?: string; in?: string }[] = document.paths['/listings'].get.parameters;
  return {
    fields: Object.keys(properties),
    choices: Object.entries(properties).flatMap(([name, { enum: values }]) =>
      values ? [[name, values] as const] : [],
    ),
    parameters: parameters.flatMap(({ name }) => (name === undefined || PAGING.has(name) ? [] : [name])),
  };
}
