/** What base64 may hold as well; shorter than any id or text within it. */
const BASE64 = /[A-Za-z0-9+/_-]{12,}/g;
const HEX = /(?:[0-9a-f]{2}){10,}/g;

/** A text, and what it may hold in another writing. */
export function readings(text: string): string[] {
  const plain = [text];
  if (/%[0-9a-f]{2}/i.test(text)) plain.push(text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodePercent));
  if (text.includes('\\u')) plain.push(text.replaceAll(/\\u([0-9a-f]{4})/gi, decodeUnit));
  if (text.includes('&#')) plain.push(text.replaceAll(/&#x([0-9a-f]+);/gi, decodeUnit));
  return [...plain, ...plain.flatMap((reading) => [...decodeAll(reading, BASE64), ...decodeAll(reading, HEX, 'hex')])];
}

function decodePercent(text: string): string {
  return Buffer.from(text.replaceAll('%', ''), 'hex').toString();
}

function decodeUnit(_: string, digits: string): string {
  return String.fromCodePoint(Number.parseInt(digits, 16));
}

/** What each word says that may be encoded so, wherever in it that begins. */
function decodeAll(text: string, words: RegExp, encoding: 'base64' | 'hex' = 'base64'): string[] {
  const offsets = encoding === 'hex' ? [0] : [0, 1, 2, 3];
  return [...text.matchAll(words)].flatMap(([word]) =>
    offsets.map((offset) => Buffer.from(word.slice(offset), encoding).toString('latin1')),
  );
}
