import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Browser } from '../../../testkit/src/browser.ts';
import type { TestService } from '../../../testkit/src/service.ts';

/**
 * Sends a POST request without its body, and resolves when the service has admitted the request and asks for the
 * body. The returned function sends the body.
 */
export async function withholdBody(
  service: TestService,
  { cookie }: Browser,
  path: string,
): Promise<(body: unknown) => Promise<Response>> {
  const headers = { Cookie: cookie, Origin: service.url, 'Content-Type': 'application/json', Expect: '100-continue' };
  const sending = request(`${service.url}${path}`, { method: 'POST', headers });
  const replied = once(sending, 'response');
  sending.flushHeaders();
  await once(sending, 'continue');
  return async (body) => {
    sending.end(JSON.stringify(body));
    const [reply] = await replied;
    // The body of a 204 must be null.
    return new Response((await text(reply)) || null, { status: reply.statusCode, headers: reply.headers });
  };
}
