import { CHUNKED, chunk, chunked, LAST } from './chunks.ts';
import { accepted, BODY, bytes, CRLF, get, hidden, LENGTH, type Piece, post, refused, type Stream } from './streams.ts';

const hide =
  (before: string): Piece['bytes'] =>
  (target) =>
    before + hidden(target);
/** A length that reaches to the end of the hidden request. */
const reaching = (lines: string, before = ''): Piece => ({
  bytes: (target) =>
    post(`${lines}Content-Length: ${before.length + hidden(target).length}${CRLF}`, hide(before)).bytes(target),
  statuses: (target) => [target.post.status === 201 ? 400 : target.post.status],
});

/** What one program takes for the body is a request for another. */
const SMUGGLING: readonly Stream[] = [
  refused('a length and chunks (CL.TE)', '§6.3', reaching(CHUNKED, LAST)),
  refused('chunks and a length (TE.CL)', '§6.3', post(`${CHUNKED}Content-Length: 4${CRLF}`, hide(LAST))),
  refused('a length of 0 and chunks', '§6.3', post(`Content-Length: 0${CRLF}${CHUNKED}`, hide(LAST))),
  refused('a length and chunks to GET', '§6.3', get(`Content-Length: 5${CRLF}${CHUNKED}`)),
  ...[
    ...[
      'xchunked',
      'chunked-x',
      'chunkedchunked',
      'gzip',
      'identity',
      'gzip, chunked',
      'chunked, gzip',
      'chunked, chunked',
    ],
    ...[
      'chunked, identity',
      'identity, chunked',
      '"chunked"',
      "'chunked'",
      'chunked;q=1',
      'chunked; a=b',
      'chunked chunked',
    ],
    ...[', chunked', 'chunked,', 'x', '', 'chunk', 'chunked\x0b', '\xc3\xa7hunked', 'chunKed\xa0', 'cow', 'null'],
  ].flatMap((coding) => [
    refused(`the coding "${coding}"`, '§6.1', post(`Transfer-Encoding: ${coding}${CRLF}`, hide(LAST))),
    refused(
      `a length and the coding "${coding}" (TE.TE)`,
      '§6.3',
      reaching(`Transfer-Encoding: ${coding}${CRLF}`, LAST),
    ),
  ]),
  refused('two codings', '§6.1', post(`${CHUNKED}Transfer-Encoding: identity${CRLF}`, hide(LAST))),
  refused('two codings in the other order', '§6.1', post(`Transfer-Encoding: identity${CRLF}${CHUNKED}`, hide(LAST))),
  refused('chunked twice in two lines', '§6.1', post(CHUNKED + CHUNKED, hide(LAST))),
  refused('a coding with a space before the colon', '§5.1', reaching(`Transfer-Encoding : chunked${CRLF}`, LAST)),
  refused('a coding behind a space', '§5.2', reaching(` Transfer-Encoding: chunked${CRLF}`, LAST)),
  refused('a coding behind a line feed', '§2.2', reaching(`X-Note: a\n${CHUNKED}`, LAST)),
  refused('a coding behind a carriage return', '§2.2', reaching(`X-Note: a\r${CHUNKED}`, LAST)),
  refused('chunks in HTTP/1.0', '§6.1', post(CHUNKED, chunk() + LAST, { version: 'HTTP/1.0' })),
  accepted('a coding with an underscore is another header', '§6.1', reaching(`Transfer_Encoding: chunked${CRLF}`)),
  accepted('a request as the body of another', '§6.3', reaching('')),
  accepted('chunked in capitals', '§7', post(`TRANSFER-ENCODING: CHUNKED${CRLF}`, chunk() + LAST)),
  accepted('chunked behind a tab', '§5.1', post(`Transfer-Encoding:\tchunked${CRLF}`, chunk() + LAST)),
  accepted('chunked before a space', '§5.1', post(`Transfer-Encoding: chunked ${CRLF}`, chunk() + LAST)),
  refused(
    'chunked before a tab, which the parser does not know',
    '§5.1',
    post(`Transfer-Encoding: chunked\t${CRLF}`, chunk() + LAST),
  ),
];

const length = (text: string, body: string | Piece['bytes'] = hide('')) => post(`Content-Length:${text}${CRLF}`, body);

const LENGTHS: readonly Stream[] = [
  refused('two lengths', '§6.3', post(`Content-Length: 4${CRLF}${LENGTH}`)),
  refused('two lengths that are the same', '§6.3', post(LENGTH + LENGTH)),
  refused('two lengths far apart', '§6.3', post(`${LENGTH}X-Note: a${CRLF}content-length: 0${CRLF}`, hide(''))),
  refused('a list of lengths', '§6.3', length(' 5, 6')),
  refused('a list of the same length', '§6.3', length(' 5, 5')),
  ...[
    ...[
      ' -1',
      ' -0',
      ' +5',
      ' 0x5',
      ' 5 5',
      ' 5.0',
      ' 5e0',
      ' 1_0',
      ' 5;',
      ' 5,',
      ' ,5',
      ' "5"',
      ' five',
      ' \xb2',
      ' \xa05',
    ],
    ...[
      '',
      ' ',
      ' 18446744073709551616',
      ' 18446744073709551621',
      ' 99999999999999999999999999',
      ' NaN',
      ' 5\x0b',
      " '5'",
    ],
  ].map((text) => refused(`the length "${text.trim()}"`, '§6.2', length(text))),
  accepted('a length with zeros before it', '§6.2', length(` 000${BODY.length}`, BODY)),
  accepted('a length among blanks', '§5.1', length(`\t ${BODY.length} \t`, BODY)),
  accepted('a body to GET', '§6.3', bodied('GET')),
  accepted('a body to HEAD', '§6.3', bodied('HEAD')),
];

function bodied(method: string): Piece {
  return {
    bytes: (target) =>
      get(`Content-Length: ${hidden(target).length}${CRLF}`, { method }).bytes(target) + hidden(target),
    statuses: (target) => [target.get.status],
  };
}

const NONSENSE = bytes(`NONSENSE${CRLF}${CRLF}`);

const PIPELINES: readonly Stream[] = [
  accepted('three requests at once', '§9.3.2', get(), get(), get()),
  accepted('fifteen requests at once', '§9.3.2', ...Array.from({ length: 15 }, () => get())),
  accepted('a change among reads', '§9.3.2', get(), post(), get()),
  accepted('a change in chunks among reads', '§9.3.2', get(), chunked(chunk() + LAST), get()),
  refused('nonsense behind a request', '§9.3.2', get(), NONSENSE),
  refused('nonsense behind a change', '§9.3.2', post(), NONSENSE),
  refused('a change behind nonsense', '§9.3.2', get(), {
    ...NONSENSE,
    bytes: (target) => NONSENSE.bytes(target) + hidden(target),
  }),
  refused('a change behind two Host lines', '§3.2', get(), doubled()),
  refused(
    'a bad length in the middle',
    '§6.3',
    get(),
    get(),
    post(`Content-Length: 5${CRLF}Content-Length: 6${CRLF}`, hide('')),
  ),
];

function doubled(): Piece {
  const bad = post(`Host: b${CRLF}${LENGTH}`);
  return { ...bad, bytes: (target) => bad.bytes(target) + hidden(target) };
}

export const BODIES: readonly Stream[] = [...SMUGGLING, ...LENGTHS, ...PIPELINES];
