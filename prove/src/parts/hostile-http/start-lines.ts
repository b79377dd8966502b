import {
  accepted,
  bytes,
  closing,
  get,
  type Piece,
  post,
  refused,
  refusedWith,
  type Stream,
  textsOf,
} from './streams.ts';

const plain = (line: string) => bytes(`${line}\r\nHost: localhost\r\n\r\n`);
const version = (text: string) => get('', { version: text });
const to = (path: string) => get('', { path });
/** A request to a path that does not exist. The response is 404 or, below `/v1` without a key, 401. */
const nowhere = (path: string, method = 'GET') =>
  get('', {
    path,
    method,
    statuses: ({ lines }) => [/^(?:http:..[a-z]+)?\/v1\//.test(path) && lines === '' ? 401 : 404],
  });

const METHODS: readonly Stream[] = [
  refused('a method in lowercase', 'RFC 9110 §9.1', get('', { method: 'get' })),
  refused('an unknown method', 'RFC 9110 §9.1', get('', { method: 'FETCH' })),
  refused('a method of 5,000 letters', '§3', get('', { method: 'G'.repeat(5_000) })),
  refused('no method', '§3', plain('/livez HTTP/1.1')),
  refused('a space before the method', '§3', plain(' GET /livez HTTP/1.1')),
  refused('a method with a colon', '§3.1', plain('GET: /livez HTTP/1.1')),
  refused('CONNECT to another host', 'RFC 9110 §9.3.6', plain('CONNECT example.com:443 HTTP/1.1')),
  refused('CONNECT to a path', '§3.2.3', plain('CONNECT /livez HTTP/1.1')),
  accepted(
    'a method that is not allowed',
    'RFC 9110 §15.5.6',
    get('', { method: 'TRACE', statuses: ({ post: { status } }) => [status === 201 ? 405 : status] }),
  ),
];

const VERSIONS: readonly Stream[] = [
  refused('HTTP/0.9', '§2.3', bytes(`GET /livez\r\n`)),
  refused('HTTP/0.9 by number', '§2.3', version('HTTP/0.9')),
  ...['HTTP/2.0', 'HTTP/1.2', 'HTTP/1.10', 'HTTP/01.1', 'HTTP/1', 'HTTP/1,1', 'HTTP/ 1.1', 'HTTP/-1.1', 'http/1.1'].map(
    (text) => refused(`the version ${text}`, '§2.3', version(text)),
  ),
  closing('another protocol, which the parser reads as HTTP/1.0', '§2.3', version('RTSP/1.0')),
  refused('no version', '§3', plain('GET /livez')),
  refused('the HTTP/2 preface', 'RFC 9113 §3.4', bytes(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`)),
  refused('a TLS ClientHello', '§2.2', bytes('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n')),
  closing('HTTP/1.0', '§9.3', get('', { version: 'HTTP/1.0' })),
  closing('HTTP/1.0 without a Host', '§3.2', get('', { version: 'HTTP/1.0', host: '' })),
  accepted('HTTP/1.0 that keeps the connection', '§9.3', get(`Connection: keep-alive\r\n`, { version: 'HTTP/1.0' })),
  closing('HTTP/1.0 with a body', '§6.3', post(undefined, undefined, { version: 'HTTP/1.0' })),
];

const SPACES: readonly Stream[] = [
  accepted('two spaces before the target', '§3', get('', { method: 'GET ' })),
  accepted('two spaces before the version', '§3', get('', { version: ' HTTP/1.1' })),
  refused('a tab before the target', '§3', plain('GET\t/livez HTTP/1.1')),
  refused('a tab before the version', '§3', plain('GET /livez\tHTTP/1.1')),
  refused('a space after the version', '§3', version('HTTP/1.1 ')),
  refused('a space in the target', '§3.2', to('/livez /v1')),
  refused('a word after the version', '§3', version('HTTP/1.1 HTTP/1.1')),
  accepted('empty lines before the request', '§2.2', prefixed('\r\n\r\n')),
  refused('a space before the request', '§2.2', prefixed(' ')),
  refused('a header before the request', '§2.2', prefixed(`X-Note: a\r\n`)),
  refused('a space before the first header', '§2.2', get('', { host: ` X-Note: a\r\nHost: localhost\r\n` })),
];

function prefixed(prefix: string): Piece {
  return { ...get(), bytes: (target) => prefix + get().bytes(target) };
}

const FORMS: readonly Stream[] = [
  accepted('absolute form', '§3.2.2', absolute('http://localhost')),
  accepted('absolute form of another host', '§3.2.2', absolute('https://listings.example:8443')),
  accepted('absolute form in uppercase', '§3.2.2', absolute('HTTP://LOCALHOST')),
  refused('absolute form without a host', 'RFC 9110 §4.2.1', absolute('http://')),
  refused('absolute form with a port alone', 'RFC 9110 §4.2.1', absolute('http://:80')),
  refused('absolute form with a user', 'RFC 9110 §4.2.4', absolute('http://user@localhost')),
  refused('absolute form with a password', 'RFC 9110 §4.2.4', absolute('http://user:word@localhost')),
  refused('absolute form with an invalid port', '§3.2.2', absolute('http://localhost:99999')),
  accepted('a target that is a file', '§3.2.2', nowhere('file:///etc/passwd')),
  refused('a target that is a host and a port', '§3.2.3', to('localhost:80')),
  accepted('asterisk form', '§3.2.4', nowhere('*')),
  accepted('asterisk form of OPTIONS', '§3.2.4', nowhere('*', 'OPTIONS')),
  refused('a target without a slash', '§3.2', to('livez')),
  refused('a target with non-ASCII bytes', '§3.2', to('/v1/\xe9')),
  refused('a target in UTF-8', '§3.2', to('/v1/\xc3\xa9')),
  refused('a target that is not UTF-8', '§3.2', to('/v1/\xc3\x28\xff')),
  accepted('a target of 8,000 bytes', '§3', nowhere(`/v1/${'x'.repeat(8_000)}`)),
  refusedWith([431], 'a target of 17 KiB', '§3', to(`/v1/${'x'.repeat(17 * 1024)}`)),
];

function absolute(origin: string): Piece {
  return { ...get(), bytes: (target) => get().bytes(target).replace(' /', ` ${origin}/`) };
}

export const START_LINES: readonly Stream[] = [
  ...METHODS,
  ...VERSIONS,
  ...SPACES,
  ...FORMS,
  // The service does not normalize paths.
  ...textsOf('path').map((path) => accepted(`the path ${path}`, 'RFC 3986 §6.2', nowhere(path))),
];
