import type { Api } from '../openapi/api.ts';
import { openApiDocument } from '../openapi/document.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';

/** Replies with an API's document, made when it is first asked for: that would take a fifth of the time to start. */
export function openApiReplies(api: Api, release: string): () => Promise<Reply> {
  let document: Promise<string> | undefined;
  return async () => {
    document ??= openApiDocument(api, release).then((made) => JSON.stringify(made));
    return replyJson(200, await document);
  };
}
