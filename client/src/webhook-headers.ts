import { WebhookVerificationError } from './webhook-errors.ts';

/** `Headers`, Node.js's `request.headers`, or an object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface SignedHeaders {
  id: string;
  timestamp: string;
  /** At least one signature, each without its version prefix. */
  signatures: string[];
}

/** Bounds the work for a request that is not yet verified. Two signatures take only 100 characters. */
const HEADER_LENGTH_MAX = 4_096;
/** Without commas, which join duplicate headers, or periods, which separate the signed parts. */
const ID = /^[!-+/-~-]+$/;
const TIMESTAMP = /^\d{1,12}$/;
/** Versions and signatures in base64, separated by spaces. */
const SIGNATURES = /^v\w+,[\w+/=-]+(?: v\w+,[\w+/=-]+)*$/;

/** @throws {WebhookVerificationError} if a header is missing, duplicate, or malformed */
export function readHeaders(headers: WebhookHeaders): SignedHeaders {
  const id = readHeader(headers, 'webhook-id', ID);
  const timestamp = readHeader(headers, 'webhook-timestamp', TIMESTAMP);
  const signatures = readHeader(headers, 'webhook-signature', SIGNATURES)
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? [signature.slice(3)] : []));
  if (signatures.length > 0) return { id, timestamp, signatures };
  throw new WebhookVerificationError(
    'unsupported_signature',
    'No signature in webhook-signature has the version v1. Check that the sender follows Standard Webhooks.',
  );
}

function readHeader(headers: WebhookHeaders, name: string, pattern: RegExp): string {
  const values = valuesOf(headers, name).filter((value) => value !== '');
  const [value] = values;
  if (value === undefined) {
    throw new WebhookVerificationError('missing_header', `The ${name} header is missing.`);
  }
  // Node.js and `Headers` join duplicate headers with a comma and a space.
  if (values.length > 1 || value.includes(', ')) {
    throw new WebhookVerificationError('duplicate_header', `The ${name} header occurs more than once.`);
  }
  if (value.length > HEADER_LENGTH_MAX) {
    const words = `The ${name} header has more than ${HEADER_LENGTH_MAX} characters.`;
    throw new WebhookVerificationError('malformed_header', words);
  }
  if (pattern.test(value)) return value;
  throw new WebhookVerificationError('malformed_header', `The ${name} header is malformed.`);
}

function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (isHeaders(headers)) return [headers.get(name) ?? ''];
  return Object.entries(headers)
    .filter(([given]) => given.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
}

/** Does not use `instanceof`, because frameworks have their own classes. */
function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
