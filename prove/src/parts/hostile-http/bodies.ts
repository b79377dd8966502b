import {
  accepted,
  BODY,
  bytes,
  get,
  hidden,
  LENGTH,
  type Piece,
  post,
  refused,
  type Stream,
  textsOf,
} from './streams.ts';

const CHUNKED = `Transfer-Encoding: chunked\r\n`;
export const LAST = `0\r\n\r\n`;
const SIZE = BODY.length.toString(16);
/** Matches between any two bytes, except within the mark, which is replaced as a whole. */
const EACH_BYTE = /(?<![mark\d-])|(?![mark\d-])/;

export const chunked = (body: string) => post(CHUNKED, body);
export const chunk = (size = SIZE) => `${size}\r\n${BODY}\r\n`;
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const trailed = (trailers: string) => chunked(`${chunk()}0\r\n${trailers}\r\n`);

const hide =
  (before: string): Piece['bytes'] =>
  (target) =>
    before + hidden(target);
/** A request whose length includes the hidden request. */
const reaching = (lines: string, before = ''): Piece => ({
  bytes: (target) =>
    post(`${lines}Content-Length: ${before.length + hidden(target).length}\r\n`, hide(before)).bytes(target),
  statuses: (target) => [target.post.status === 201 ? 400 : target.post.status],
});

/** Bytes that some programs read as a body and others as a request. */
const SMUGGLING: readonly Stream[] = [
  refused('a length and chunks (CL.TE)', '§6.3', reaching(CHUNKED, LAST)),
  refused('chunks and a length (TE.CL)', '§6.3', post(`${CHUNKED}Content-Length: 4\r\n`, hide(LAST))),
  refused('a length of 0 and chunks', '§6.3', post(`Content-Length: 0\r\n${CHUNKED}`, hide(LAST))),
  refused('a length and chunks to GET', '§6.3', get(`Content-Length: 5\r\n${CHUNKED}`)),
  ...textsOf('coding').flatMap((coding) => [
    refused(`the coding "${coding}"`, '§6.1', post(`Transfer-Encoding: ${coding}\r\n`, hide(LAST))),
    refused(`a length and the coding "${coding}" (TE.TE)`, '§6.3', reaching(`Transfer-Encoding: ${coding}\r\n`, LAST)),
  ]),
  refused('two codings', '§6.1', post(`${CHUNKED}Transfer-Encoding: identity\r\n`, hide(LAST))),
  refused('two codings in the other order', '§6.1', post(`Transfer-Encoding: identity\r\n${CHUNKED}`, hide(LAST))),
  refused('chunked twice in two lines', '§6.1', post(CHUNKED + CHUNKED, hide(LAST))),
  refused('a coding with a space before the colon', '§5.1', reaching(`Transfer-Encoding : chunked\r\n`, LAST)),
  refused('a coding after a space', '§5.2', reaching(` Transfer-Encoding: chunked\r\n`, LAST)),
  refused('a coding after a line feed', '§2.2', reaching(`X-Note: a\n${CHUNKED}`, LAST)),
  refused('a coding after a carriage return', '§2.2', reaching(`X-Note: a\r${CHUNKED}`, LAST)),
  refused('chunks in HTTP/1.0', '§6.1', post(CHUNKED, chunk() + LAST, { version: 'HTTP/1.0' })),
  accepted('a coding with an underscore is another header', '§6.1', reaching(`Transfer_Encoding: chunked\r\n`)),
  accepted('a request as the body of another', '§6.3', reaching('')),
  accepted('chunked in uppercase', '§7', post(`TRANSFER-ENCODING: CHUNKED\r\n`, chunk() + LAST)),
  accepted('chunked after a tab', '§5.1', post(`Transfer-Encoding:\tchunked\r\n`, chunk() + LAST)),
  accepted('chunked before a space', '§5.1', post(`Transfer-Encoding: chunked \r\n`, chunk() + LAST)),
  refused(
    'chunked before a tab, which the parser does not support',
    '§5.1',
    post(`Transfer-Encoding: chunked\t\r\n`, chunk() + LAST),
  ),
];

const length = (text: string, body: string | Piece['bytes'] = hide('')) => post(`Content-Length:${text}\r\n`, body);

const LENGTHS: readonly Stream[] = [
  refused('two lengths', '§6.3', post(`Content-Length: 4\r\n${LENGTH}`)),
  refused('two lengths that are the same', '§6.3', post(LENGTH + LENGTH)),
  refused('two lengths far apart', '§6.3', post(`${LENGTH}X-Note: a\r\ncontent-length: 0\r\n`, hide(''))),
  refused('a list of lengths', '§6.3', length(' 5, 6')),
  refused('a list of the same length', '§6.3', length(' 5, 5')),
  ...textsOf('length').map((text) => refused(`the length "${text.trim()}"`, '§6.2', length(text))),
  accepted('a length with zeros before it', '§6.2', length(` 000${BODY.length}`, BODY)),
  accepted('a length between spaces and tabs', '§5.1', length(`\t ${BODY.length} \t`, BODY)),
  accepted('a body to GET', '§6.3', bodied('GET')),
  accepted('a body to HEAD', '§6.3', bodied('HEAD')),
];

function bodied(method: string): Piece {
  const bytes: Piece['bytes'] = (target) =>
    get(`Content-Length: ${hidden(target).length}\r\n`, { method }).bytes(target);
  return { bytes: (target) => bytes(target) + hidden(target), statuses: (target) => [target.get.status] };
}

const NONSENSE = bytes(`NONSENSE\r\n\r\n`);
/** A piece with the hidden request directly after it. */
const then = (piece: Piece): Piece => ({ ...piece, bytes: (target) => piece.bytes(target) + hidden(target) });

const PIPELINES: readonly Stream[] = [
  accepted('three requests at once', '§9.3.2', get(), get(), get()),
  accepted('fifteen requests at once', '§9.3.2', ...Array.from({ length: 15 }, () => get())),
  accepted('a change among reads', '§9.3.2', get(), post(), get()),
  accepted('a change in chunks among reads', '§9.3.2', get(), chunked(chunk() + LAST), get()),
  refused('nonsense after a request', '§9.3.2', get(), NONSENSE),
  refused('nonsense after a change', '§9.3.2', post(), NONSENSE),
  refused('a change after nonsense', '§9.3.2', get(), then(NONSENSE)),
  refused('a change after two Host lines', '§3.2', get(), then(post(`Host: b\r\n${LENGTH}`))),
  refused('a bad length in the middle', '§6.3', get(), get(), length(' 5\r\nContent-Length: 6')),
];

const CHUNKS: readonly Stream[] = [
  accepted('a chunk', '§7.1', chunked(chunk() + LAST)),
  accepted('a chunk for nearly each byte', '§7.1', chunked(BODY.split(EACH_BYTE).map(chunkOf).join('') + LAST)),
  accepted('a size with zeros before it', '§7.1', chunked(chunk(`0000${SIZE}`) + LAST)),
  accepted('a last chunk of several zeros', '§7.1', chunked(`${chunk()}000\r\n\r\n`)),
  accepted('extensions', '§7.1.1', chunked(`${chunk(`${SIZE};a;b=c;d="e f"`)}0;g=h\r\n\r\n`)),
  accepted('trailers', '§7.1.2', trailed('X-Note: a\r\nX-Other: b\r\n')),
  accepted('trailers with a host and a key', 'RFC 9110 §6.5.1', trailed('Host: b\r\nAuthorization: Bearer x\r\n')),
  refused('a Content-Length trailer', 'RFC 9110 §6.5.1', trailed('Content-Length: 5\r\n')),
  refused('a Transfer-Encoding trailer', 'RFC 9110 §6.5.1', trailed(CHUNKED)),
  ...textsOf('size').map((size) =>
    refused(`the size ${JSON.stringify(size)}`, '§7.1', chunked(`${size}\r\n{}\r\n${LAST}`)),
  ),
  refused('a chunk longer than its size', '§7.1', chunked(`1\r\n{}\r\n${LAST}`)),
  refused('a chunk shorter than its size', '§7.1', chunked(`3\r\n{}\r\n${LAST}`)),
  refused('a chunk without its end', '§7.1', chunked(`2\r\n{}${LAST}`)),
  refused('a chunk that ends with a line feed alone', '§7.1', chunked(`2\r\n{}\n${LAST}`)),
  refused('a chunk that ends with a carriage return alone', '§7.1', chunked(`2\r\n{}\r${LAST}`)),
  refused('a size that ends with a line feed alone', '§7.1', chunked(`2\n{}\r\n${LAST}`)),
  refused('a size that ends with a carriage return alone', '§7.1', chunked(`2\r{}\r\n${LAST}`)),
  refused('a last chunk that ends with line feeds alone', '§7.1', chunked(`2\r\n{}\r\n0\n\n`)),
  refused('a body that ends with a line feed alone', '§7.1', chunked(`2\r\n{}\r\n0\r\n\n`)),
  refused('an extension of 20 KiB', '§7.1.1', chunked(`2;${'a'.repeat(20 * 1024)}\r\n{}\r\n${LAST}`)),
  refused('a folded trailer', '§5.2', trailed('X-Note: a\r\n b\r\n')),
  refused('a trailer with NUL', 'RFC 9110 §5.5', trailed('X-Note: a\0\r\n')),
  refused('a trailer with a space before the colon', '§5.1', trailed('X-Note : a\r\n')),
  refused('a trailer without a colon', '§5', trailed('X-Note\r\n')),
];

export const BODIES: readonly Stream[] = [...SMUGGLING, ...LENGTHS, ...PIPELINES, ...CHUNKS];
