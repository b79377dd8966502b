/**
 * Why a webhook was rejected:
 * - `missing_header`, `duplicate_header`, `malformed_header`: a problem with the `webhook-id`,
 *   `webhook-timestamp`, or `webhook-signature` header
 * - `timestamp_too_old`, `timestamp_too_new`: the timestamp is outside the tolerance, because a clock is
 *   wrong, or the request was delayed or replayed
 * - `unsupported_signature`: no signature has the version `v1`
 * - `wrong_signature`: the secret, the body, or a signed header differs from what the sender signed
 * - `parsed_body`: the body is not the string or bytes of the request, but a parsed value
 * - `invalid_body`: the signature is correct, but the body is not an event
 * - `invalid_secret`: the receiver's secret is missing or malformed
 */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'duplicate_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'unsupported_signature'
  | 'wrong_signature'
  | 'parsed_body'
  | 'invalid_body'
  | 'invalid_secret';

/** A request that is not a valid webhook. The message contains neither the secret nor a signature. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

// Bundlers shorten class names, but error names appear in messages.
WebhookVerificationError.prototype.name = 'WebhookVerificationError';
