import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocumentedOperation, OpenApiDocument } from '../../../../testkit/src/openapi.ts';
import { REPOSITORY } from '../../../../testkit/src/process.ts';

/** An API by its document in the repository; the served one could repeat the service's fault. */
export interface Api {
  base: '/v1' | '/admin';
  document: OpenApiDocument;
}

export interface Target extends Api {
  operation: DocumentedOperation;
}

const APIS: Api[] = [
  { base: '/v1', document: readDocument('openapi.json') },
  { base: '/admin', document: readDocument('admin.json') },
];

function readDocument(name: string): OpenApiDocument {
  return new OpenApiDocument(readFileSync(join(REPOSITORY, 'openapi', name), 'utf8'));
}

export const TARGETS: readonly Target[] = APIS.flatMap((api) =>
  api.document.operations.map((operation) => ({ ...api, operation })),
);

export function findTarget(base: Api['base'], operationId: string): Target {
  const target = TARGETS.find((each) => each.base === base && each.operation.operationId === operationId);
  if (target === undefined) throw new Error(`there is no operation ${operationId} below ${base}`);
  return target;
}
