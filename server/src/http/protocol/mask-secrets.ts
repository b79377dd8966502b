import { isObject } from '../../lib/merge-patch.ts';

/** Masks API keys in a path or query, however encoded. The rest stays as sent if that reveals no part of a key. */
export function withoutKeys(path: string): string {
  const decoded = decodeWhole(path);
  if (!decoded.includes('plk_')) return path;
  const masked = maskKeys(path);
  return decodeWhole(masked) === maskKeys(decoded) ? masked : maskKeys(decoded);
}

const MAYBE_METADATA = /metadata|%/i;
/** Also matches misspelled names, such as `value[metadata.agent:WORD]`. Excludes `map`, whose values name fields. */
const METADATA = /^(?!map\[)[^:]*metadata/i;
/** `metadata` in a name such as `values[metadata.agent:WORD]`, also in the message about a repeated word (`once: `). */
const WORD_OWNER = /(?<=[[.]|once: )[\s+]*metadata/i;

/** Masks API keys and values of `metadata` in a query. */
export function withoutSecrets(query: string): string {
  // Masking a key can decode the query, so the parameters are split first.
  return withoutKeys(MAYBE_METADATA.test(query) ? query.split('&').map(withoutMetadata).join('&') : query);
}

function withoutMetadata(parameter: string): string {
  const end = parameter.indexOf('=');
  const name = end < 0 ? parameter : parameter.slice(0, end);
  if (!METADATA.test(decodeWhole(name))) return parameter;
  return end < 0 ? withoutWord(name) : `${withoutWord(name)}=…`;
}

const MAYBE_SECRET = /metadata|%|"field":/i;

/**
 * Masks API keys in the JSON of an error, values of `metadata` in the names of parameters that it repeats, and text
 * from a body: the names of unknown columns and members, and what messages quote. In a file without a header or with
 * shifted cells, any of these can be a value of `metadata`.
 */
export function withoutSecretsInError(body: string): string {
  if (!MAYBE_SECRET.test(body)) return withoutKeys(body);
  try {
    const whole = JSON.parse(body);
    const isOfQuery = whole.error.code === 'invalid_query' || whole.error.code === 'unknown_parameter';
    const mask = (name: string, value: unknown) => {
      if (typeof value === 'string')
        return withoutWord(name === 'message' && !isOfQuery ? withoutQuotes(value) : value);
      return isObject(value) && value.code === 'unknown_field' ? { ...value, field: maskName(value.field) } : value;
    };
    return withoutKeys(JSON.stringify(whole, mask));
  } catch {
    return '…';
  }
}

function withoutQuotes(message: string): string {
  return message.replace(/".*"/s, '"…"').replace(/(values\[\w*:).*\]=/s, '$1…]=');
}

function maskName(field: unknown): unknown {
  return String(field).startsWith('query.') ? field : '…';
}

/** Masks the word in a name such as `values[metadata.agent:WORD]`, and all text after it. */
function withoutWord(text: string): string {
  const decoded = decodeWhole(text);
  const owner = decoded.search(WORD_OWNER);
  const colon = owner < 0 ? -1 : decoded.indexOf(':', owner);
  if (colon < 0) return text;
  return `${decoded.slice(0, colon + 1)}${decoded.endsWith(']') ? '…]' : '…'}`;
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
  if (!path.includes('%')) return path;
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
