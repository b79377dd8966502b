import { accepted, BODY, CRLF, post, refused, type Stream } from './streams.ts';

export const CHUNKED = `Transfer-Encoding: chunked${CRLF}`;
export const LAST = `0${CRLF}${CRLF}`;
const SIZE = BODY.length.toString(16);
/** Between all bytes but those of the mark, which is exchanged as a whole. */
const EACH_BYTE = /(?<![mark\d-])|(?![mark\d-])/;

export const chunked = (body: string) => post(CHUNKED, body);
export const chunk = (size = SIZE) => `${size}${CRLF}${BODY}${CRLF}`;
const chunkOf = (text: string) => `${text.length.toString(16)}${CRLF}${text}${CRLF}`;

export const CHUNKS: readonly Stream[] = [
  accepted('a chunk', '§7.1', chunked(chunk() + LAST)),
  accepted(
    'a chunk for nearly each byte',
    '§7.1',
    chunked(
      BODY.split(EACH_BYTE)
        .map((piece) => chunkOf(piece))
        .join('') + LAST,
    ),
  ),
  accepted('a size with zeros before it', '§7.1', chunked(chunk(`0000${SIZE}`) + LAST)),
  accepted('a last chunk of several zeros', '§7.1', chunked(`${chunk()}000${CRLF}${CRLF}`)),
  accepted('extensions', '§7.1.1', chunked(`${chunk(`${SIZE};a;b=c;d="e f"`)}0;g=h${CRLF}${CRLF}`)),
  accepted('trailers', '§7.1.2', chunked(`${chunk()}0${CRLF}X-Note: a${CRLF}X-Other: b${CRLF}${CRLF}`)),
  accepted(
    'trailers that would say who asks',
    'RFC 9110 §6.5.1',
    chunked(`${chunk()}0${CRLF}Host: b${CRLF}Authorization: Bearer x${CRLF}${CRLF}`),
  ),
  refused(
    'a trailer that gives a length',
    'RFC 9110 §6.5.1',
    chunked(`${chunk()}0${CRLF}Content-Length: 5${CRLF}${CRLF}`),
  ),
  refused('a trailer that gives a coding', 'RFC 9110 §6.5.1', chunked(`${chunk()}0${CRLF}${CHUNKED}${CRLF}`)),
  ...[
    ...[
      '-2',
      '+2',
      '0x2',
      ' 2',
      '2 ',
      '\t2',
      '2\t',
      '2_0',
      '2.0',
      '2,',
      '',
      ' ',
      'zz',
      '2g',
      '"2"',
      '\xb2',
      '2\0',
      '2\x0b',
      '2\r',
    ],
    ...[
      '10000000000000000',
      'FFFFFFFFFFFFFFFFF',
      '10000000000000002',
      '-0',
      '0x0',
      '2;a=\0',
      '2;a=\r',
      '2;\n',
      '2;a="\n"',
    ],
  ].map((size) => refused(`the size ${JSON.stringify(size)}`, '§7.1', chunked(`${size}${CRLF}{}${CRLF}${LAST}`))),
  refused('a chunk that is longer than it says', '§7.1', chunked(`1${CRLF}{}${CRLF}${LAST}`)),
  refused('a chunk that is shorter than it says', '§7.1', chunked(`3${CRLF}{}${CRLF}${LAST}`)),
  refused('a chunk without its end', '§7.1', chunked(`2${CRLF}{}${LAST}`)),
  refused('a chunk that ends with a line feed alone', '§7.1', chunked(`2${CRLF}{}\n${LAST}`)),
  refused('a chunk that ends with a carriage return alone', '§7.1', chunked(`2${CRLF}{}\r${LAST}`)),
  refused('a size that ends with a line feed alone', '§7.1', chunked(`2\n{}${CRLF}${LAST}`)),
  refused('a size that ends with a carriage return alone', '§7.1', chunked(`2\r{}${CRLF}${LAST}`)),
  refused('a last chunk that ends with line feeds alone', '§7.1', chunked(`2${CRLF}{}${CRLF}0\n\n`)),
  refused('a body that ends with a line feed alone', '§7.1', chunked(`2${CRLF}{}${CRLF}0${CRLF}\n`)),
  refused('an extension of 20 KiB', '§7.1.1', chunked(`2;${'a'.repeat(20 * 1024)}${CRLF}{}${CRLF}${LAST}`)),
  refused('a folded trailer', '§5.2', chunked(`${chunk()}0${CRLF}X-Note: a${CRLF} b${CRLF}${CRLF}`)),
  refused('a trailer with NUL', 'RFC 9110 §5.5', chunked(`${chunk()}0${CRLF}X-Note: a\0${CRLF}${CRLF}`)),
  refused('a trailer with a space before the colon', '§5.1', chunked(`${chunk()}0${CRLF}X-Note : a${CRLF}${CRLF}`)),
  refused('a trailer without a colon', '§5', chunked(`${chunk()}0${CRLF}X-Note${CRLF}${CRLF}`)),
];
