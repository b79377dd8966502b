import { ownTurn } from '../../lib/turns.ts';
import type { AnyOperation, OperationBody } from '../contract/operation.ts';
import type { Api } from './api.ts';
import { type Components, describeSchema } from './components.ts';
import { describeParameters } from './parameters.ts';
import { describeErrors, describeReplies } from './replies.ts';
import { tagOf } from './tags.ts';

/** Generates the OpenAPI 3.1 document. That takes 0.1 s, so each operation gets its own event-loop turn. */
export async function openApiDocument(api: Api, release: string): Promise<object> {
  const { base, title, introduction, operations, securitySchemes } = api;
  const components: Components = { schemas: {}, responses: {}, parameters: {}, headers: {}, examples: {} };
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    await ownTurn();
    const path = paths[operation.path] ?? {};
    path[operation.method] = describeOperation(operation, api, components);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: release,
      license: { name: 'MIT', identifier: 'MIT' },
      description: introduction,
    },
    servers: [{ url: base }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags: [...new Set(operations.map(tagOf))],
    externalDocs: { description: 'All error codes', url: '/docs/errors' },
    paths,
    components: { securitySchemes, ...components },
  };
}

const SERVER = '"servers":[{"url":"';

/** Makes the server URL in a document's JSON absolute, because importers such as Postman require it. */
export function atOrigin(origin: string, document: Buffer): Buffer {
  const at = document.indexOf(SERVER) + SERVER.length;
  return Buffer.concat([document.subarray(0, at), Buffer.from(origin), document.subarray(at)]);
}

function describeOperation(operation: AnyOperation, api: Api, components: Components): object {
  const { operationId, summary, description, body } = operation;
  return {
    tags: [tagOf(operation).name],
    operationId,
    summary,
    description,
    ...(operation.caller === 'anyone' && { security: [] }),
    parameters: describeParameters(operation, api, components),
    ...(body && { requestBody: describeBody(body, components) }),
    responses: {
      ...describeReplies(operation, api, components),
      ...describeErrors(operation, api, components),
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
