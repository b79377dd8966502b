import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface DocumentedReply {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}

export interface DocumentedOperation {
  path: string;
  method: string;
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, DocumentedReply>;
}

/** Whether it is about who somebody is, and not about an account: sign-in.test.ts and its neighbours call these. */
export function isOfPeople({ path }: DocumentedOperation): boolean {
  return /^\/(session|setup|auth|invitations\/(preview|accept))\b/.test(path);
}

/** The OpenAPI document as a client reads it. */
export class OpenApiDocument {
  readonly text: string;
  readonly operations: DocumentedOperation[];
  readonly #root: unknown;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(text: string) {
    this.text = text;
    this.#root = JSON.parse(text);
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(Object(this.#root), 'openapi');
    const { paths } = Object(resolve(this.#root, this.#root));
    this.operations = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, path, method })),
    );
  }

  /** Checks a value against a schema of the document. */
  assertValid(value: unknown, schema: object, what: string): void {
    const validate = this.#ajv.compile(schema);
    assert.ok(validate(value), `${what}: ${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }

  /** Whether a value is one that a schema of the components describes. */
  matches(value: unknown, component: string): boolean {
    return this.#ajv.compile({ $ref: `openapi#/components/schemas/${component}` })(value);
  }
}

/** A part of the document with its references resolved, but for those to schemas, which may refer to themselves. */
function resolve(part: unknown, root: unknown): unknown {
  if (Array.isArray(part)) return part.map((element) => resolve(element, root));
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part && typeof part.$ref === 'string') {
    if (part.$ref.startsWith('#/components/schemas/')) return { $ref: `openapi${part.$ref}` };
    return resolve(valueAt(root, part.$ref), root);
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolve(member, root)]));
}

/** What stands at a JSON pointer such as `#/components/schemas/Listing`. */
export function valueAt(root: unknown, pointer: string): object {
  const names = pointer.split('/').slice(1);
  const value = names.reduce((at, name) => Object(at)[name], root);
  assert.ok(typeof value === 'object' && value !== null, `${pointer} leads nowhere`);
  return value;
}
