import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { REPOSITORY } from './process.ts';

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
  example?: unknown;
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

/** A response that was received. */
export interface Told {
  status: number;
  headers: Headers;
  text: string;
  /** Whether the request had the `fields` parameter, with which listings may lack required members. */
  hasFields?: boolean;
}

/** Headers of HTTP itself, and headers that are documented once for all responses. */
const UNIVERSAL =
  /^(date|connection|keep-alive|content-(encoding|length|type)|transfer-encoding|cache-control|vary|x-content-type-options)$/;

/** Headers that may be missing, depending on the settings, the format, the page, or the error code. */
const DEPENDING =
  /^(ratelimit.*|idempotent-replayed|link|x-(sequence|epoch|total-count)|retry-after|accept-encoding|set-cookie)$/;

/** Matches the JSON pointers of the listings in a list. */
const LISTED = /^\/(data|features)\/\d+(\/properties)?$/;

/** Whether an operation concerns a user and not an account. */
export function isOfPeople({ path }: DocumentedOperation): boolean {
  return /^\/(session|setup|auth|invitations\/(preview|accept))\b/.test(path);
}

/** Reads a document from the repository. A fault in the service could also change the document that it serves. */
export function readDocument(name: 'openapi' | 'admin'): OpenApiDocument {
  return new OpenApiDocument(readFileSync(`${REPOSITORY}/openapi/${name}.json`, 'utf8'));
}

/** An OpenAPI document as a client reads it. */
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

  /** With `hasFields`, the listings in a list may lack required members. */
  assertValid(value: unknown, schema: object, what: string, hasFields = false): void {
    const validate = this.#ajv.compile(schema);
    validate(value);
    const errors = (validate.errors ?? []).filter(
      ({ keyword, instancePath }) => !(hasFields && keyword === 'required' && LISTED.test(instancePath)),
    );
    assert.equal(errors.length, 0, `${what}: ${this.#ajv.errorsText(errors)} in ${JSON.stringify(value)}`);
  }

  matches(value: unknown, schema: object): boolean {
    return this.#ajv.compile(schema)(value);
  }

  /** Resolves a schema that may be a reference. */
  schemaOf<T extends object>(schema: T): object {
    if (!('$ref' in schema) || typeof schema.$ref !== 'string') return schema;
    return valueAt(this.#root, schema.$ref.replace(/^openapi/, ''));
  }

  /** Checks a response against what the document says about its status. */
  assertReply({ responses }: DocumentedOperation, { status, headers, text, hasFields }: Told): void {
    const reply = responses[status];
    assert.ok(reply, `${status} is not documented: ${text.slice(0, 500)}`);
    assertHeaders(headers, reply);
    if (text === '') return;
    const [type = ''] = (headers.get('content-type') ?? '').split(';', 1);
    const media = reply.content?.[type];
    assert.ok(media, `a body of the type "${type}" is not documented for ${status}`);
    if (/[/+]json$/.test(type)) this.assertValid(JSON.parse(text), media.schema, `The body of a ${status}`, hasFields);
    const { code } = Object(Object(type === 'application/json' ? JSON.parse(text) : {}).error);
    assert.ok(status < 400 || Object.hasOwn(media.examples ?? {}, code), `${status} ${code} is not documented`);
  }
}

/** Asserts that all headers but `UNIVERSAL` are documented, and that all documented ones but `DEPENDING` exist. */
export function assertHeaders(given: Headers, { headers = {} }: DocumentedReply): void {
  const documented = Object.keys(headers).map((name) => name.toLowerCase());
  const undocumented = [...given.keys()].filter((name) => !UNIVERSAL.test(name) && !documented.includes(name));
  assert.deepEqual(undocumented, [], 'undocumented headers');
  const missing = documented.filter((name) => !DEPENDING.test(name) && !given.has(name));
  assert.deepEqual(missing, [], 'missing documented headers');
}

/** Resolves references, except those to schemas, which may be recursive. */
function resolve(part: unknown, root: unknown): unknown {
  if (Array.isArray(part)) return part.map((element) => resolve(element, root));
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part && typeof part.$ref === 'string') {
    if (part.$ref.startsWith('#/components/schemas/')) return { $ref: `openapi${part.$ref}` };
    return resolve(valueAt(root, part.$ref), root);
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolve(member, root)]));
}

/** Returns the value at a JSON pointer such as `#/components/schemas/Listing`. */
export function valueAt(root: unknown, pointer: string): object {
  const names = pointer.split('/').slice(1);
  const value = names.reduce((at, name) => Object(at)[name], root);
  assert.ok(typeof value === 'object' && value !== null, `${pointer} does not exist`);
  return value;
}
