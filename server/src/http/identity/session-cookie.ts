import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Reads the session token from better-auth's cookie: `token.signature`, percent-encoded, where the
 * signature is the token's HMAC-SHA-256 in base64. Returns undefined if there is no valid token.
 */
export function readSessionToken(cookie: string, name: string, secret: string): string | undefined {
  const pair = cookie.split('; ').find((text) => text.startsWith(`${name}=`));
  const value = decode(pair?.slice(name.length + 1) ?? '');
  const dot = value.lastIndexOf('.');
  if (dot < 1) return undefined;
  const token = value.slice(0, dot);
  const given = Buffer.from(value.slice(dot + 1), 'base64');
  const signature = createHmac('sha256', secret).update(token).digest();
  return given.length === signature.length && timingSafeEqual(given, signature) ? token : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
