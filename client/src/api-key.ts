const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 42;
const CHECKSUM_LENGTH = 6;

/**
 * Describes what is wrong with an API key, without quoting it.
 * A key is `plk_`, 32 random characters, and a checksum of 6 characters.
 * @returns undefined if the key is well-formed
 */
export function describeKeyFault(key: string): string | undefined {
  if (key.trim() === '') return 'The API key is empty.';
  if (key !== key.trim()) return 'The API key has spaces or line breaks around it; remove them.';
  if (!key.startsWith('plk_')) return 'An API key starts with plk_. Create one in the dashboard (Settings → API).';
  if (key.length !== LENGTH) return `The API key has ${key.length} characters instead of ${LENGTH}; copy it again.`;
  if (!/^plk_[0-9A-Za-z]+$/.test(key)) return 'The API key has invalid characters; copy it again.';
  if (!key.endsWith(checksum(key.slice(0, -CHECKSUM_LENGTH)))) {
    return "The API key's checksum does not match; copy it again.";
  }
  return undefined;
}

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

/** Computed bit by bit, because a table would make the client larger. `text` must be ASCII. */
function crc32(text: string): number {
  let crc = -1;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
