const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 42;
const CHECKSUM_LENGTH = 6;

/**
 * Says what is wrong with an API key, without showing it; undefined for one that can be a key.
 * An API key is `plk_`, 32 random characters, and 6 that are the checksum of those before.
 */
export function describeKeyFault(key: string): string | undefined {
  if (key.trim() === '') return 'The API key is empty.';
  if (key !== key.trim()) return 'The API key has spaces or line breaks around it; remove them.';
  if (!key.startsWith('plk_')) return 'This is no API key: those begin with plk_. Make one under Settings, API.';
  if (key.length !== LENGTH) return `The API key has ${key.length} characters instead of ${LENGTH}; copy it again.`;
  if (!/^plk_[0-9A-Za-z]+$/.test(key)) return 'The API key has characters that no key has; copy it again.';
  if (!key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)))) {
    return "The API key's checksum does not match; copy it again.";
  }
  return undefined;
}

/** The text without the secret of any key in it. */
export function maskKeys(text: string): string {
  return text.replace(/plk_\w+/g, 'plk_…');
}

/** CRC32 (ISO 3309) as base62, most significant digit first. */
function checksum(body: string): string {
  let rest = crc32(body);
  let encoded = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    encoded = ALPHABET.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}

/** Bit by bit: a table would be larger than all keys ever checked. ASCII only. */
function crc32(text: string): number {
  let crc = -1;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
