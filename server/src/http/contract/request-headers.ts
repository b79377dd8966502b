/** A header that an operation reads, for its `requestHeaders`. */
export interface RequestHeader {
  name: string;
  /** Its name among the document's components. */
  component: string;
  /** With an example in it: one of its own would be filled in by viewers, and change what is tried out. */
  description: string;
}

/** Every request can have it. */
export const REQUEST_ID: RequestHeader = {
  name: 'X-Request-Id',
  component: 'RequestId',
  description:
    'Your own name for the request, 1 to 128 of `[A-Za-z0-9._-]`; without it the service makes one. It is in the reply and in the log.',
};

/** Whatever works with an account in the dashboard can have it. */
export const ACCOUNT_ID: RequestHeader = {
  name: 'X-Account-Id',
  component: 'AccountId',
  description:
    'The account that the page shows. When the session works in another one by now, perhaps by another window, the request ' +
    'is refused with `account_changed`; without the header it is about the account of the session, whichever that is.',
};

export const IDEMPOTENCY_KEY: RequestHeader = {
  name: 'Idempotency-Key',
  component: 'IdempotencyKey',
  description:
    'Makes the request safe to repeat: 1 to 255 visible characters, such as a UUID, a new one for each new request. For ' +
    '24 hours the same request with the same key is done once, and answered with the same reply.',
};

export const IF_MATCH: RequestHeader = {
  name: 'If-Match',
  component: 'IfMatch',
  description:
    'Changes the listing only if it is still at this version: the `ETag` that you read, with its quotes. Several with ' +
    'commas; `*` for any version, as long as there is one.',
};

export const IF_NONE_MATCH: RequestHeader = {
  name: 'If-None-Match',
  component: 'IfNoneMatch',
  description: 'The `ETag` of the reply that you have: as long as that is current, the reply is 304 without a body.',
};

export const UNLESS_MATCH: RequestHeader = {
  name: 'If-None-Match',
  component: 'UnlessMatch',
  description:
    'Does nothing if the listing is at this version; `*`: if there is one at all, so `PUT` then only creates.',
};
