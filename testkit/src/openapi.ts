import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface DocumentedParameter {
  name: string;
  in: string;
  required: boolean;
  schema: object;
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
  parameters: DocumentedParameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, DocumentedReply>;
}

/** A reply as it came. */
export interface Told {
  status: number;
  headers: Headers;
  text: string;
}

/** What HTTP itself has, and what the document says of all replies together. */
const UNIVERSAL =
  /^(date|connection|keep-alive|content-(encoding|length|type)|transfer-encoding|cache-control|vary|x-content-type-options)$/;

/** What depends on the settings, the format, the page, or which of a status's codes it is. */
const DEPENDING =
  /^(ratelimit.*|idempotent-replayed|link|x-(sequence|epoch|total-count)|retry-after|accept-encoding|set-cookie)$/;

/** Whether it is about a person, not an account. */
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

  /** Whether a value is one that a schema of the document describes. */
  matches(value: unknown, schema: object): boolean {
    return this.#ajv.compile(schema)(value);
  }

  /** What a schema of the document says itself, if it only refers to another one. */
  schemaOf<T extends object>(schema: T): object {
    if (!('$ref' in schema) || typeof schema.$ref !== 'string') return schema;
    return valueAt(this.#root, schema.$ref.replace(/^openapi/, ''));
  }

  /** Checks a reply to an operation against what is documented of its status. */
  assertReply({ responses }: DocumentedOperation, { status, headers, text }: Told): void {
    const reply = responses[status];
    assert.ok(reply, `${status} is not documented: ${text.slice(0, 500)}`);
    assertHeaders(headers, reply);
    if (text === '') return;
    const [type = ''] = (headers.get('content-type') ?? '').split(';', 1);
    const media = reply.content?.[type];
    assert.ok(media, `a body of the type "${type}" is not documented for ${status}`);
    if (/[/+]json$/.test(type)) this.assertValid(JSON.parse(text), media.schema, `The body of a ${status}`);
    const { code } = Object(Object(type === 'application/json' ? JSON.parse(text) : {}).error);
    assert.ok(status < 400 || Object.hasOwn(media.examples ?? {}, code), `${status} ${code} is not documented`);
  }
}

/** What a reply has besides what every reply may have is documented, and what is documented is there. */
export function assertHeaders(given: Headers, { headers = {} }: DocumentedReply): void {
  const documented = Object.keys(headers).map((name) => name.toLowerCase());
  const undocumented = [...given.keys()].filter((name) => !UNIVERSAL.test(name) && !documented.includes(name));
  assert.deepEqual(undocumented, [], 'headers that are not documented');
  const missing = documented.filter((name) => !DEPENDING.test(name) && !given.has(name));
  assert.deepEqual(missing, [], 'documented headers that are missing');
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
