import { type ErrorCode, INVALID_KEY } from '../../../model/errors.ts';
import { type ErrorEntry, JSON_BODY, KEY } from './entry.ts';

/** Access errors: credentials, permissions, and rate limits. */
export const ACCESS_ERRORS = {
  unauthorized: {
    status: 401,
    title: 'The API key is missing or not valid',
    meaning:
      'The request has no `Authorization` header, its key is mistyped, unknown, deleted, or expired, or ' +
      "the key's account is suspended. The body is always the same; the `WWW-Authenticate` header gives the reason.",
    remedy:
      'Send `Authorization: Bearer API_KEY`, and check `WWW-Authenticate` (`curl -i` shows it). A key that was deleted ' +
      'or has expired does not become valid again: ask an administrator of your account for a new one. If the account is ' +
      'suspended, contact the operator of the service.',
    headers: { 'WWW-Authenticate': 'Bearer realm="property-listings"' },
    commands: ['curl -i $API/listings'],
    example: { message: INVALID_KEY },
  },
  insufficient_scope: {
    status: 403,
    title: 'The key is read-only',
    meaning: 'The key is valid, but its access is `read`. Nothing was changed.',
    remedy: "Use a key whose access is `full`. `GET /v1/me` shows a key's access.",
    commands: [`curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"address":"12 Elm Street","beds":3,"baths":2}'`],
    example: { message: 'This key is read-only; use a key with full access to change listings.' },
  },
  forbidden: {
    status: 403,
    title: 'You are not allowed to do this',
    meaning:
      "Only below `/admin`: the user's role does not allow the request, the request did not come from a page of this " +
      'service, or the account is suspended. The message gives the reason. Nothing was changed.',
    remedy:
      'Contact an administrator of the account. If the dashboard itself gets this error, set `PUBLIC_URL` to the address at ' +
      'which users open it.',
    example: { message: 'Only administrators of the account are allowed to do this; ask one of them.' },
  },
  rate_limited: {
    status: 429,
    title: 'The key has sent too many requests',
    meaning:
      'The key has reached its rate limit. Nothing was done, the request was not counted, and other keys are not ' +
      'affected. Below `/admin`, this is also the response to too many wrong passwords, links, or codes, too many ' +
      'invitations, or too many concurrent sign-ins.',
    remedy:
      'Wait the number of seconds in `Retry-After`, then retry. `RateLimit` in each response shows how many requests are left ' +
      '(`r`) and for how many seconds (`t`). A 304 response does not count against the ' +
      'limit.',
    headers: { 'Retry-After': '7' },
    example: {
      message:
        'This key has reached its rate limit; retry in 7 s. The RateLimit header of each response shows how many ' +
        'requests are left.',
    },
  },
  too_many_imports: {
    status: 429,
    title: "Too many of this account's imports are running",
    meaning:
      'An account can run four imports at a time, including dry runs. This import exceeds the limit, so it was not ' +
      'read. Other accounts are not affected.',
    remedy:
      'Wait the number of seconds in `Retry-After`, then send the file again. Sequential imports are as fast as ' +
      "parallel ones, because an account's rows are written in order.",
    headers: { 'Retry-After': '5' },
    example: { message: "4 of this account's imports are already running; wait until one has finished." },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
