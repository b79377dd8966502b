import {
  accepted,
  BODY,
  bytes,
  closing,
  expecting,
  get,
  LENGTH,
  type Piece,
  post,
  refused,
  refusedWith,
  type Stream,
} from './streams.ts';

const host = (line: string) => get('', { host: line });

const HOSTS: readonly Stream[] = [
  refused('no Host', '§3.2', host('')),
  refused('two Host lines', '§3.2', host('Host: localhost\r\nHost: localhost\r\n')),
  refused('two different Host lines', '§3.2', host('Host: localhost\r\nhost: example.com\r\n')),
  refused('two Host lines in HTTP/1.0', '§3.2', get('', { version: 'HTTP/1.0', host: 'Host: a\r\nHost: b\r\n' })),
  refused('two Host lines far apart', '§3.2', get(`X-Note: a\r\nHOST: b\r\n`)),
  ...['', ' ', ' a b', ' localhost/x', ' user@localhost', ' a, b', ' \xe9', ' %6cocalhost', ' [::1', ' [::g]'].map(
    (value) => refused(`the Host "${value}"`, '§3.2', host(`Host:${value}\r\n`)),
  ),
  ...['localhost:http', 'localhost:99999', ':80', 'a:1:2', 'a?b', 'a#b', 'a\\b', 'http://a'].map((value) =>
    refused(`the Host "${value}"`, 'RFC 9110 §7.2', host(`Host: ${value}\r\n`)),
  ),
  refused('a Host that is not an address', 'RFC 9110 §7.2', get('', { host: `Host: 256.256.256.256\r\n` })),
  accepted('a Host in uppercase with a port', 'RFC 9110 §7.2', host('Host: LISTINGS.Example:80\r\n')),
  accepted('a Host that is an IPv6 address', 'RFC 9110 §7.2', host('Host: [::1]:3000\r\n')),
  accepted('a Host after a tab', '§5.1', host('Host:\tlocalhost \t\r\n')),
];

const NAMES: readonly Stream[] = [
  refused('a space before the colon', '§5.1', get('X-Note : a\r\n')),
  refused('a tab before the colon', '§5.1', get('X-Note\t: a\r\n')),
  refused('a header without a name', '§5.1', get(': a\r\n')),
  refused('a header without a colon', '§5', get('X-Note\r\n')),
  ...[...'(),/;<=>?@[\\]{}" \x80\xff'].map((character) =>
    refused(`a header name with ${JSON.stringify(character)}`, 'RFC 9110 §5.1', get(`X${character}Note: a\r\n`)),
  ),
  accepted('names of object properties', 'RFC 9110 §5.1', get('__proto__: x\r\nconstructor: y\r\ntoString: z\r\n')),
  accepted('a name with all allowed characters', 'RFC 9110 §5.6.2', get("!#$%&'*+-.^_`|~: a\r\n")),
];

const FOLDS: readonly Stream[] = [
  refused('a folded header', '§5.2', get('X-Note: a\r\n b\r\n')),
  refused('a header folded by a tab', '§5.2', get('X-Note: a\r\n\tb\r\n')),
  refused('a header value that begins on the next line', '§5.2', get('X-Note:\r\n a\r\n')),
  refused('a folded length', '§5.2', post(`Content-Length:\r\n ${BODY.length}\r\n`)),
  refused('a folded coding', '§5.2', post('Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n')),
  refused('a line of spaces among the headers', '§5.2', get('X-Note: a\r\n \r\nX-Other: b\r\n')),
];

/** The parser must neither end a line at a control character nor accept it. */
const CONTROLS = ['\0', '\x01', '\x07', '\x08', '\x0b', '\x0c', '\r', '\n', '\x1b', '\x7f'];
const KEY = 'the key';
const PLACES: readonly (readonly [place: string, rule: string, (control: string) => Piece])[] = [
  ['the method', '§3.1', (control) => get('', { method: `G${control}ET` })],
  ['the target', '§3.2', (control) => get('', { path: `/li${control}vez` })],
  ['the query', '§3.2', (control) => get('', { path: `/livez?a=${control}b` })],
  ['the version', '§2.3', (control) => get('', { version: `HTTP/1${control}.1` })],
  ['a header name', '§5.1', (control) => get(`X-${control}Note: a\r\n`)],
  ['a header value', 'RFC 9110 §5.5', (control) => get(`X-Note: a${control}b\r\n`)],
  ['the beginning of a header value', 'RFC 9110 §5.5', (control) => get(`X-Note:${control}a\r\n`)],
  ['the Host', '§3.2', (control) => get('', { host: `Host: local${control}host\r\n` })],
  ['a length', '§6.2', (control) => post(`Content-Length: ${control}${BODY.length}\r\n`)],
  ['a coding', '§6.1', (control) => post(`Transfer-Encoding: ${control}chunked\r\n`, '0\r\n\r\n')],
  [KEY, 'RFC 9110 §5.5', (control) => get(`Authorization: Bearer plk_${control}a\r\n`)],
];

const LARGE: readonly Stream[] = [
  accepted('3,000 headers', '§5', get('a:\r\n'.repeat(3_000))),
  accepted('a header of 15 KiB', '§5', get(`X-Note: ${'x'.repeat(15 * 1024)}\r\n`)),
  refusedWith([431], '3,000 headers above 16 KiB', 'RFC 6585 §5', get('X-Note: a\r\n'.repeat(3_000))),
  refusedWith([431], 'a header of 17 KiB', 'RFC 6585 §5', get(`X-Note: ${'x'.repeat(17 * 1024)}\r\n`)),
  refusedWith([431], 'a header of 200 KiB', 'RFC 6585 §5', get(`X-Note: ${'x'.repeat(200 * 1024)}\r\n`)),
  refusedWith([431], 'a header name of 17 KiB', 'RFC 6585 §5', get(`X-${'x'.repeat(17 * 1024)}: a\r\n`)),
  accepted('17 KiB of spaces, which the parser does not count', '§5.1', get(`X-Note:${' '.repeat(17 * 1024)}a\r\n`)),
];

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: ';

const MEANINGS: readonly Stream[] = [
  accepted('a value with non-ASCII bytes', 'RFC 9110 §5.5', get('X-Note: \x80\xc3\xa9\xff\r\n')),
  accepted('an empty value', '§5', get('X-Note:\r\n')),
  closing('an upgrade to HTTP/2', 'RFC 9110 §7.8', get(`${UPGRADE}h2c\r\nHTTP2-Settings: AAMA\r\n`)),
  closing('an upgrade to WebSocket', 'RFC 9110 §7.8', get(`${UPGRADE}websocket\r\n`)),
  closing('an upgrade with a body', 'RFC 9110 §7.8', post(`${UPGRADE}h2c\r\n${LENGTH}`)),
  accepted('an unknown expectation', 'RFC 9110 §10.1.1', get('Expect: a-miracle\r\n')),
  expecting(
    'an expectation with a body',
    'RFC 9110 §10.1.1',
    post(`Expect: 100-continue\r\n${LENGTH}`),
    ({ post: { status } }) => status === 201,
  ),
  expecting('an expectation without a body', 'RFC 9110 §10.1.1', get('Expect: 100-continue\r\n'), () => false),
  closing('Connection: close', '§9.6', get('Connection: close\r\n')),
  closing('Connection: keep-alive, close', '§9.3', get('Connection: keep-alive, close\r\n')),
  accepted(
    'a connection header that names others',
    'RFC 9110 §7.6.1',
    get('Connection: host, authorization, content-length\r\n'),
  ),
  refused('a line feed that hides a length', '§2.2', get('X-Note: a\nContent-Length: 40\r\n')),
  refused('lines that end with a line feed alone', '§2.2', bytes('GET /livez HTTP/1.1\nHost: localhost\n\n')),
  refused('lines that end with a carriage return alone', '§2.2', bytes('GET /livez HTTP/1.1\rHost: localhost\r\r')),
  refused('headers that end with a line feed alone', '§2.2', bytes('GET /livez HTTP/1.1\r\nHost: localhost\r\n\n')),
];

export const FIELDS: readonly Stream[] = [
  ...HOSTS,
  ...NAMES,
  ...FOLDS,
  ...PLACES.flatMap(([place, rule, piece]) =>
    CONTROLS.map((control) => {
      // The service rejects such a key like any other invalid key, with 401. It sends 400 if the header's name
      // arrived in an earlier packet, because the parser's error contains only the packet in which it occurred.
      const statuses = place === KEY && !'\r\n'.includes(control) ? [401, 400] : [400];
      return refusedWith(statuses, `${JSON.stringify(control)} in ${place}`, rule, piece(control));
    }),
  ),
  ...LARGE,
  ...MEANINGS,
];
