import { type ErrorCode, INVALID_KEY } from '../../../model/errors.ts';
import { type ErrorEntry, JSON_BODY, KEY } from './entry.ts';

export const ACCESS_ERRORS = {
  unauthorized: {
    status: 401,
    title: 'The API key is missing or not valid',
    meaning:
      'The `Authorization` header is missing or malformed, its key is mistyped, unknown, deleted, or expired, or ' +
      "the key's account is suspended. Below `/v1`, the body is always the same; if the header was sent, " +
      '`WWW-Authenticate` gives the reason. Below `/admin`, this is the response to a request without a valid ' +
      'session, to a wrong password or passkey at sign-in, and to a code without a pending sign-in; the message ' +
      'gives the reason.',
    remedy:
      'Send `Authorization: Bearer API_KEY`, and check `WWW-Authenticate` (`curl -i` shows it). A key that was ' +
      'deleted or has expired does not become valid again: ask an administrator of your account for a new one. If ' +
      'the account is suspended, contact the operator of the service. Below `/admin`, sign in again.',
    headers: { 'WWW-Authenticate': 'Bearer realm="property-listings"' },
    commands: ['curl -i $API/listings'],
    example: { message: INVALID_KEY },
  },
  insufficient_scope: {
    status: 403,
    title: 'The key is read-only',
    meaning: 'The key is valid, but its access is `read`, and the request requires `full`. Nothing was changed.',
    remedy: "Use a key whose access is `full`. `GET /v1/me` shows a key's access.",
    commands: [`curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"address":"12 Elm Street","beds":3,"baths":2}'`],
    example: { message: 'This key is read-only; use a key with full access to change listings.' },
  },
  forbidden: {
    status: 403,
    title: 'You are not allowed to do this',
    meaning:
      "Only below `/admin`: the user's role does not allow the request, the request did not come from a page of this " +
      'service, the setup link is wrong or has expired, or the account is suspended. The message gives the reason. ' +
      'Nothing was changed.',
    remedy:
      'Do what the message says. If it says that the service does not know the address of the dashboard, set ' +
      '`PUBLIC_URL` to the address at which users open the dashboard, and restart the service.',
    example: { message: 'Only administrators of the account are allowed to do this; ask one of them.' },
  },
  rate_limited: {
    status: 429,
    title: 'The key has sent too many requests',
    meaning:
      'The key has reached its rate limit. Nothing was done, the request does not count against the limit, and other ' +
      'keys are not affected. Below `/admin`, this is also the response to too many wrong passwords, links, codes, ' +
      'or passkeys, too many invitations, or too many sign-ins with passkeys or at the same time.',
    remedy:
      'Wait the number of seconds in `Retry-After`, then retry. `RateLimit` in each response shows how many requests ' +
      'are left (`r`) and for how many seconds (`t`). A 304 response does not count against the limit.',
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
      'On each machine, an account can run four imports at a time, including dry runs and feed runs. This request ' +
      'exceeds the limit, so its file was not read. Other accounts are not affected.',
    remedy:
      'Wait the number of seconds in `Retry-After`, then send the file again. Sequential imports are about as fast ' +
      'as parallel ones, because the rows of an account are written one group after another.',
    headers: { 'Retry-After': '5' },
    example: { message: "4 of this account's imports are already running; wait until one has finished." },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
