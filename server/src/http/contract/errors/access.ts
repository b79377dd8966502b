import type { ErrorCode } from '../../../model/errors.ts';
import { type ErrorEntry, JSON_BODY, KEY } from './entry.ts';

/** Errors of the key that a request carries. */
export const ACCESS_ERRORS = {
  unauthorized: {
    status: 401,
    title: 'The API key is missing or not valid',
    meaning:
      'The request has no `Authorization` header, or its key is mistyped, unknown, deleted or expired, or the account of ' +
      'the key is suspended. The body is the same each time; which of these it is stands in the header `WWW-Authenticate`.',
    remedy:
      'Send `Authorization: Bearer API_KEY`, and look at `WWW-Authenticate` (`curl -i` shows it). A key that was deleted ' +
      'or has expired never comes back: ask the administrator of your account for a new one. About a suspended account, ' +
      'ask the operator of the service.',
    headers: { 'WWW-Authenticate': 'Bearer realm="property-listings"' },
    commands: ['curl -i $API/listings'],
    example: { message: 'Invalid or missing API key' },
  },
  insufficient_scope: {
    status: 403,
    title: 'The key may only read',
    meaning: 'The key is good, but its access is `read`, and the request would change something. Nothing was changed.',
    remedy: 'Use a key whose access is `full`. `GET /v1/me` shows which access a key has.',
    commands: [`curl -i $API/listings ${KEY} ${JSON_BODY} -d '{"address":"12 Elm Street","beds":3,"baths":2}'`],
    example: { message: 'This key may only read; use a key with full access to change listings.' },
  },
  forbidden: {
    status: 403,
    title: 'You may not do this',
    meaning:
      'This is of the dashboard, below `/admin`: the person who is signed in lacks the role for it, the request did not ' +
      'come from a page of this service, or the account is suspended, with the reason in the message. Nothing was changed.',
    remedy:
      'Ask an administrator of the account. If the dashboard itself is refused, `PUBLIC_URL` must be the address at which ' +
      'people open it.',
    example: { message: 'Only administrators of the account may do this; ask one of them.' },
  },
  rate_limited: {
    status: 429,
    title: 'The key has sent too many requests',
    meaning:
      'Each key may send a number of requests in a time, and this one was beyond it. Nothing was done, and it was not ' +
      'counted. Other keys are not touched. Below `/admin`, this is the response to too many wrong passwords, links, or ' +
      'codes, to too many invitations, and to sign-ins beyond those that can be checked at a time.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send it again. `RateLimit` says in each reply how many requests are ' +
      'left (`r`) and for how many seconds (`t`): slow down before none is. A request that is answered with 304 is free.',
    headers: { 'Retry-After': '7' },
    example: {
      message:
        'This key has sent all the requests it may for now; go on in 7 s. RateLimit says in each reply what is left.',
    },
  },
  too_many_imports: {
    status: 429,
    title: 'The account sends too many imports at a time',
    meaning:
      'An account may send four imports at a time, dry runs included, and its atomic imports may hold 64 MiB together. ' +
      'This one was beyond that: nothing of it was read, or, for an atomic import, nothing was kept. Other accounts are ' +
      'not affected.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send the file again. One import after the other is as fast: the ' +
      'rows of an account are written in order.',
    headers: { 'Retry-After': '5' },
    example: { message: 'This account sends 4 imports already; wait until one of them has ended.' },
  },
} satisfies Partial<Record<ErrorCode, ErrorEntry>>;
