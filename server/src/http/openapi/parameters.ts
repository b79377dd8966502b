import type { AnyOperation } from '../contract/operation.ts';
import type { RequestHeader } from '../contract/request-headers.ts';
import { noQuery, type QuerySchema } from '../contract/schemas/query.ts';
import type { Api } from './api.ts';
import { type Components, describeSchema, refer } from './components.ts';

const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  id: { description: 'The `id` of the listing.', example: 'lst_01kt3vwq8r5f0x4m2n7p9s1d6h' },
  keyId: { description: 'The `id` of the key.', example: 'key_01kt3vb2d4f6h8j0k1m3n5p7q9' },
  memberId: { description: 'The `id` of the member.', example: 'usr_01kt3v9s3c5r8y0w1x2z4q6m7n' },
  invitationId: { description: 'The `id` of the invitation.', example: 'inv_01kt3vb2d4f6h8j0k1m3n5p7q9' },
  name: { description: 'The name of the feed.', example: 'mls' },
  viewName: { description: 'The name of the saved view.', example: 'Active in Austin' },
  runId: { description: 'The `id` of the run.', example: 'run_01kt3vwq8r5f0x4m2n7p9s1d6h' },
  webhookId: { description: 'The `id` of the endpoint.', example: 'whk_01kt3vb2d4f6h8j0k1m3n5p7q9' },
  deliveryId: {
    description: 'The `id` of the delivery, which is its `webhook-id`.',
    example: 'msg_01kt3vb2d4f6h8j0k1m3n5p7q9_7k2m9q4x_42',
  },
  entryId: { description: 'The `id` of the request in the log.', example: 'req_01kt3vwqb5r5f0x4m2n7p9s1dz-0000' },
  externalId: {
    description:
      'Your own id for the listing. Percent-encode characters that a path cannot contain: for example, send `/` as ' +
      '`%2F`.',
    example: 'MLS-20931',
  },
};

export function describeParameters(operation: AnyOperation, api: Api, components: Components): object[] {
  const { path, requestHeaders = [] } = operation;
  const query: QuerySchema = operation.query ?? noQuery;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const inQuery = Object.entries(query.shape).map(([name, schema]) => {
    const { description, example, ...rest } = describeSchema(schema, components);
    // Values are separated by commas, unless the name ends with `[]`: such a parameter can be repeated.
    const list = rest.type === 'array' && { style: 'form', explode: name.endsWith('[]') };
    const keyed = rest.type === 'object' && { name: name.replace(/\[.*/, ''), style: 'deepObject', explode: true };
    return { name, in: 'query', required: false, description, ...list, ...keyed, schema: rest, example };
  });
  return [
    ...names.map((name) => describePathParameter(name, components)),
    ...inQuery,
    ...[...requestHeaders, ...api.requestHeadersOf(operation)].map((header) =>
      describeRequestHeader(header, components),
    ),
  ];
}

function describePathParameter(name: string, components: Components): object {
  const described = PATH_PARAMETERS[name];
  if (described === undefined) throw new Error(`The path parameter ${name} is not described`);
  const parameter = { name, in: 'path', required: true, ...described, schema: { type: 'string' } };
  return refer(components, 'parameters', name, parameter);
}

function describeRequestHeader(header: RequestHeader, components: Components): object {
  const { name, component, description, example } = header;
  const parameter = { name, in: 'header', required: false, description, schema: { type: 'string' }, example };
  return refer(components, 'parameters', component, parameter);
}
