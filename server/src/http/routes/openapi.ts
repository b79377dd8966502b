import { OPENAPI_NAME } from '../contract/paths.ts';
import type { Api } from '../openapi/api.ts';
import { openApiDocument } from '../openapi/document.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Routes } from '../protocol/router.ts';
import type { Services } from '../services.ts';

/** The document of an API, made when it is first asked for: that would take a fifth of the time to start. */
export function addOpenApi(routes: Routes, api: Api, { release }: Services): void {
  let document: Promise<string> | undefined;
  routes.add('GET', api.base + OPENAPI_NAME, async () => {
    document ??= openApiDocument(api, release).then((made) => JSON.stringify(made));
    return replyJson(200, await document);
  });
}
