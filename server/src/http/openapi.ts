import { z } from 'zod';
import type { ErrorCode } from '../model/errors.ts';
import { STATUS_OF_CODE, UNAUTHORIZED_BODY } from './errors.ts';
import type { Operation, OperationBody, OperationReply } from './operations.ts';
import { REFUSAL_HEADERS } from './rate-limit.ts';
import { JSON_TYPE } from './reply.ts';
import { eventsOperation } from './routes/events.operations.ts';
import {
  deleteByExternalIdOperation,
  putOperation,
  retrieveByExternalIdOperation,
} from './routes/external-listings.operations.ts';
import { importOperation } from './routes/imports.operations.ts';
import {
  createOperation,
  deleteOperation,
  listOperation,
  retrieveOperation,
  updateOperation,
} from './routes/listings.operations.ts';
import { meOperation } from './routes/me.ts';
import { errorReply } from './schemas/errors.ts';

const OPERATIONS: Operation[] = [
  listOperation,
  createOperation,
  retrieveOperation,
  updateOperation,
  deleteOperation,
  retrieveByExternalIdOperation,
  putOperation,
  deleteByExternalIdOperation,
  eventsOperation,
  importOperation,
  meOperation,
];

/** What every operation can answer. */
const COMMON_ERRORS: ErrorCode[] = [
  'unknown_parameter',
  'unauthorized',
  'not_acceptable',
  'rate_limited',
  'internal_error',
  'unavailable',
];

/** What the operations below each path are about. */
const TAGS: Record<string, string> = { listings: 'Listings', imports: 'Imports', events: 'Events', me: 'Key' };

const SCHEMA_PREFIX = '#/components/schemas/';

/** The OpenAPI 3.1 document of `/v1`, made from the schemas that validate. */
export function openApiDocument(release: string): object {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = describeOperation(operation, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Property Listings API',
      version: release,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Lists and creates the property listings of an account. Every request carries an API key: ' +
        '`Authorization: Bearer <API_KEY>`. The operator makes it with `npx property-listings keys create`.',
    },
    servers: [{ url: '/v1' }],
    security: [{ apiKey: [] }],
    tags: Object.values(TAGS).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `plk_` and 38 characters.' },
      },
      schemas,
    },
  };
}

function describeOperation(operation: Operation, schemas: Record<string, unknown>): object {
  const { operationId, summary, description, body } = operation;
  const media: Media = (schema, example, types = [JSON_TYPE]) =>
    Object.fromEntries(types.map((type) => [type, { schema: describeSchema(schema, schemas), example }]));
  return {
    tags: [TAGS[operation.path.split('/')[1] ?? '']],
    operationId,
    summary,
    description,
    parameters: describeParameters(operation, schemas),
    ...(body && { requestBody: { required: true, content: describeBody(body, media) } }),
    responses: {
      ...Object.fromEntries(operation.replies.map((reply) => [reply.status, describeReply(reply, media)])),
      ...describeErrors([...COMMON_ERRORS, ...operation.errors], media),
    },
  };
}

function describeBody({ types, schema, example, texts = {} }: OperationBody, media: Media): object {
  const content = Object.entries(texts).map(([type, text]) => [type, { schema: { type: 'string' }, example: text }]);
  const jsonTypes = types.filter((type) => !Object.hasOwn(texts, type));
  return { ...media(schema, example, jsonTypes), ...Object.fromEntries(content) };
}

function describeParameters({ path, query }: Operation, schemas: Record<string, unknown>): object[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query.shape).map(([name, schema]) => {
    const { description, ...rest } = describeSchema(schema, schemas);
    return { name, in: 'query', required: false, description, schema: rest };
  });
  return [...inPath, ...inQuery];
}

type Media = (schema: z.ZodType, example: unknown, types?: readonly string[]) => object;

function describeReply({ description, schema, example, headers }: OperationReply, media: Media): object {
  const described = Object.entries(headers ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(headers && { headers: Object.fromEntries(described) }),
    ...(schema && { content: media(schema, example) }),
  };
}

/** One reply for each status, naming the codes that it can carry. */
function describeErrors(codes: ErrorCode[], media: Media): Record<string, object> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = STATUS_OF_CODE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => {
      const description = sharing.map((code) => `\`${code}\``).join(', ');
      const headers = status === STATUS_OF_CODE.rate_limited && { headers: REFUSAL_HEADERS };
      const reply = { status, description, schema: errorReply, example: exampleOf(sharing[0]), ...headers };
      return [status, describeReply(reply, media)];
    }),
  );
}

function exampleOf(code: ErrorCode | undefined): unknown {
  if (code === 'unauthorized') return JSON.parse(UNAUTHORIZED_BODY);
  return {
    error: { code, message: 'What is wrong and what to do.', requestId: '5f0c3a52-8c1e-4c55-9d3a-2f6f0e9f5d11' },
  };
}

/** A schema's JSON Schema; those with an id are put under components and referred to. */
function describeSchema(schema: z.ZodType, schemas: Record<string, unknown>): Record<string, unknown> {
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
  return withComponentReferences(described);
}

function withComponentReferences(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${SCHEMA_PREFIX}`));
}
