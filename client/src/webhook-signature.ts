import { WebhookVerificationError } from './webhook-errors.ts';

const SECRET_PREFIX = 'whsec_';
/** The sizes that Standard Webhooks allows. */
const SECRET_BYTES = { min: 24, max: 64 };

const encoder = new TextEncoder();

/** @throws {WebhookVerificationError} if the secret is malformed; the message does not quote it */
export async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decodeSecret(secret.trim());
  if (bytes === undefined) {
    const words = 'A secret must start with whsec_ and have 24 to 64 bytes in base64; copy the whole secret.';
    throw new WebhookVerificationError('invalid_secret', words);
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  // Padding is required, so that most truncated secrets are noticed.
  if (!/^whsec_([A-Za-z\d+/=]{4})+$/.test(secret)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (sign) => sign.charCodeAt(0));
    return bytes.length < SECRET_BYTES.min || bytes.length > SECRET_BYTES.max ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** The signature in base64, without its version. */
export async function sign(key: CryptoKey, id: string, timestamp: string, body: Uint8Array): Promise<string> {
  const start = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(start.length + body.length);
  content.set(start);
  content.set(body, start.length);
  const digest = await crypto.subtle.sign('HMAC', key, content);
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/** Compares in a time that depends only on the lengths, which are public. */
export function isEqual(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}

/** Undefined if the body is not a string or bytes. `isView` also accepts bytes of other realms, such as Jest's. */
export function toBytes(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return body instanceof ArrayBuffer ? new Uint8Array(body) : undefined;
}
