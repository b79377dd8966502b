/** Masks API keys in a path or query, however encoded. The rest stays as sent if that reveals no part of a key. */
export function withoutKeys(path: string): string {
  if (!path.includes('%')) return maskKeys(path);
  const decoded = decodeWhole(path);
  if (!decoded.includes('plk_')) return path;
  const masked = maskKeys(path);
  return decodeWhole(masked) === maskKeys(decoded) ? masked : maskKeys(decoded);
}

const METADATA = /^\s*metadata/i;

/** Masks API keys and values of `metadata` in a query. */
export function withoutSecrets(query: string): string {
  const masked = withoutKeys(query);
  if (!/metadata|%/i.test(masked)) return masked;
  return masked.split('&').map(withoutMetadata).join('&');
}

function withoutMetadata(parameter: string): string {
  const end = parameter.indexOf('=');
  const isMetadata = end >= 0 && METADATA.test(decodeWhole(parameter.slice(0, end)));
  return isMetadata ? `${parameter.slice(0, end)}=…` : parameter;
}

/** Masks keys that are not encoded. */
export function maskKeys(text: string): string {
  return text.includes('plk_') ? text.replaceAll(/plk_[0-9A-Za-z]+/g, 'plk_…') : text;
}

const PERCENT = '%'.charCodeAt(0);
const HEX_VALUES = new Map(
  [...'0123456789abcdefABCDEF'].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);

/** Decodes nested percent-encoding (`%2570` is `p`) in one pass, because `%252525…` can have any number of levels. */
function decodeWhole(path: string): string {
  const bytes = Buffer.from(path);
  let length = 0;
  for (const byte of bytes) {
    bytes[length] = byte;
    length += 1;
    while (length >= 3 && bytes[length - 3] === PERCENT) {
      const high = HEX_VALUES.get(bytes[length - 2] ?? 0);
      const low = HEX_VALUES.get(bytes[length - 1] ?? 0);
      if (high === undefined || low === undefined) break;
      length -= 2;
      bytes[length - 1] = high * 16 + low;
    }
  }
  return bytes.toString('utf8', 0, length);
}
