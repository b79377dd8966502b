import type { ErrorCode } from '../model/errors.ts';
import { type Components, describeSchema } from './openapi/components.ts';
import { INTRODUCTION } from './openapi/introduction.ts';
import { describeParameters } from './openapi/parameters.ts';
import { describeErrors, describeReplies } from './openapi/replies.ts';
import { tagOf } from './openapi/tags.ts';
import type { Operation, OperationBody } from './operations.ts';
import { eventsOperation } from './routes/events.operations.ts';
import {
  deleteByExternalIdOperation,
  putOperation,
  retrieveByExternalIdOperation,
} from './routes/external-listings.operations.ts';
import { importOperation } from './routes/imports.operations.ts';
import { listOperation } from './routes/list.operations.ts';
import { createOperation, deleteOperation, retrieveOperation, updateOperation } from './routes/listings.operations.ts';
import { meOperation } from './routes/me.ts';

/** All there is below `/v1`, in the order of the reference. */
export const OPERATIONS: Operation[] = [
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
  'headers_too_large',
  'internal_error',
  'unavailable',
];

/** The codes that an operation can answer with. */
export function errorsOf({ errors }: Operation): ErrorCode[] {
  return [...COMMON_ERRORS, ...errors];
}

/** The OpenAPI 3.1 document of `/v1`, made from the schemas that validate. */
export function openApiDocument(release: string): object {
  const components: Components = { schemas: {}, responses: {}, parameters: {}, headers: {}, examples: {} };
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = describeOperation(operation, components);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Property Listings API',
      version: release,
      license: { name: 'MIT', identifier: 'MIT' },
      description: INTRODUCTION,
    },
    servers: [{ url: '/v1' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(OPERATIONS.map(tagOf))],
    externalDocs: { description: 'All error codes', url: '/docs/errors' },
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `plk_` and 38 characters.' },
      },
      ...components,
    },
  };
}

function describeOperation(operation: Operation, components: Components): object {
  const { operationId, summary, description, body } = operation;
  return {
    tags: [tagOf(operation).name],
    operationId,
    summary,
    description,
    parameters: describeParameters(operation, components),
    ...(body && { requestBody: describeBody(body, components) }),
    responses: {
      ...describeReplies(operation, components),
      ...describeErrors(operation, errorsOf(operation), components),
    },
  };
}

function describeBody({ types, schema, example, texts = {} }: OperationBody, components: Components): object {
  const media = { schema: describeSchema(schema, components), example };
  const content = types.map((type) => [
    type,
    Object.hasOwn(texts, type) ? { schema: { type: 'string' }, example: texts[type] } : media,
  ]);
  return { required: true, content: Object.fromEntries(content) };
}
