import type { Services } from '../app.ts';
import type { Api } from '../openapi/api.ts';
import { openApiDocument } from '../openapi.ts';
import { replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';

export const OPENAPI_NAME = '/openapi.json';

/** The document of an API, made when it is first asked for: that would take a fifth of the time to start. */
export function addOpenApi(routes: Routes, api: Api, { release }: Services): void {
  let document: Promise<string> | undefined;
  routes.add('GET', api.base + OPENAPI_NAME, async () => {
    document ??= openApiDocument(api, release).then((made) => JSON.stringify(made));
    return replyJson(200, await document);
  });
}
