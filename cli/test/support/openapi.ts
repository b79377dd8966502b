import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../../testkit/src/process.ts';

/** What clients leave to the command line: pages, and how many there are. */
const NOT_FOR_PEOPLE = new Set(['cursor', 'count']);

/** What the API's document says that flags are needed for. */
export function readOpenApi() {
  const document = JSON.parse(readFileSync(join(REPOSITORY, 'openapi/openapi.json'), 'utf8'));
  const properties: Record<string, { enum?: string[] }> = document.components.schemas.ListingInput.properties;
  const parameters: { name?: string; in?: string }[] = document.paths['/listings'].get.parameters;
  return {
    fields: Object.keys(properties),
    choices: Object.entries(properties).flatMap(([name, { enum: values }]) =>
      values ? [[name, values] as const] : [],
    ),
    parameters: parameters.flatMap(({ name }) => (name === undefined || NOT_FOR_PEOPLE.has(name) ? [] : [name])),
  };
}
