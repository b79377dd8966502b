export interface RequestHeader {
  name: string;
  /** The header's name in the `components` of the OpenAPI document. */
  component: string;
  description: string;
  example: string;
}

export const REQUEST_ID: RequestHeader = {
  name: 'X-Request-Id',
  component: 'RequestId',
  description:
    'Your own id for the request, 1 to 128 characters of `[A-Za-z0-9._-]`. Without a valid id, the service ' +
    'generates one. The response and the log contain the id.',
  example: 'import-2026-02-03.1',
};

export const ACCOUNT_ID: RequestHeader = {
  name: 'X-Account-Id',
  component: 'AccountId',
  description:
    'The account that the page shows. If the session has switched to another account, for example in another window, ' +
    'the request fails with `account_changed`. Without the header, the request uses the current account of the ' +
    'session.',
  example: 'acc_01kt3v9s3c5r8y0w1x2z4q6m7n',
};

export const IDEMPOTENCY_KEY: RequestHeader = {
  name: 'Idempotency-Key',
  component: 'IdempotencyKey',
  description:
    'Makes the request safe to repeat. 1 to 255 visible ASCII characters, such as a UUID; use a new key for each new ' +
    'request. For 24 hours after the request succeeds, repeating it with the same key changes nothing and gets the ' +
    'same response; for a feed or a webhook endpoint, the response shows its current state.',
  example: '0f6b1c52-3d0e-4f7a-9c55-2f6f0e9f5d11',
};

export const IF_MATCH: RequestHeader = {
  name: 'If-Match',
  component: 'IfMatch',
  description:
    'Changes the listing only if it still has this version: the `ETag` that you read, with its quotes. Separate ' +
    'several with commas; `*` matches every existing listing.',
  example: '"2"',
};

export const IF_NONE_MATCH: RequestHeader = {
  name: 'If-None-Match',
  component: 'IfNoneMatch',
  description:
    'The `ETag` of a response that you have. If that ETag is still current, the response is 304 without a body.',
  example: '"2"',
};

export const UNLESS_MATCH: RequestHeader = {
  name: 'If-None-Match',
  component: 'UnlessMatch',
  description:
    'Changes nothing if the listing has this version; `*` matches every existing listing, so `PUT` only creates ' +
    'listings.',
  example: '*',
};
