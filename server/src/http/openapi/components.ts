import { z } from 'zod';

/** The components of a document, which are collected while its operations are described. */
export interface Components {
  schemas: Record<string, unknown>;
  responses: Record<string, unknown>;
  parameters: Record<string, unknown>;
  headers: Record<string, unknown>;
  examples: Record<string, unknown>;
}

/** Adds a component and returns a reference to it. */
export function refer(components: Components, kind: keyof Components, name: string, value: object): { $ref: string } {
  components[kind][name] = value;
  return { $ref: `#/components/${kind}/${name}` };
}

/** The JSON Schema of a Zod schema; schemas with an id become components. */
export function describeSchema(schema: z.ZodType, { schemas }: Components): Record<string, unknown> {
  const {
    $defs,
    $schema: _,
    ...described
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
    },
  });
  const definitions = { ...$defs };
  for (const [name, definition] of Object.entries(definitions)) schemas[name] = withComponentReferences(definition);
  return Object(withComponentReferences(described));
}

function withComponentReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
