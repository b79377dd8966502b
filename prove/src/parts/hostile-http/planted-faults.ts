import type { PlantedFault } from '../../part.ts';

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'The parser is lenient',
    foundBy: 'a space before the first header',
    patches: [['createHttpServer', 'requireHostHeader: false', 'requireHostHeader: false, insecureHTTPParser: true']],
  },
  {
    what: 'Two Host lines are taken',
    foundBy: 'two Host lines',
    patches: [['server:findFault', 'hosts > 1', 'false']],
  },
  {
    what: 'A request behind a rejected one is executed',
    foundBy: 'requests that were hidden in others and were done',
    patches: [['createHttpServer', 'finished.has(socket)', 'false']],
  },
  {
    what: 'HTTP/1.0 may send chunks',
    foundBy: 'chunks in HTTP/1.0',
    patches: [['server:findFault', "httpVersion === '1.0'", 'false']],
  },
  {
    what: 'Any transfer coding is taken for chunked',
    foundBy: 'the coding "',
    patches: [['server:findFault', "coding.toLowerCase() !== 'chunked'", 'false']],
  },
  {
    what: 'A path with an encoded dot throws an error that is not caught',
    foundBy: '/%2e%2e/',
    patches: [
      [
        'createHttpServer',
        'incoming.url =',
        "if (incoming.url?.includes('/%2e%2e/')) throw new Error('planted'); incoming.url =",
      ],
    ],
  },
  {
    what: 'A percent sign without digits in a path is the service’s own error',
    foundBy: '/external/%',
    patches: [['decodeParameters', 'return undefined', "decodeURIComponent('%')"]],
  },
  {
    what: 'A body whose connection ends is taken for whole',
    foundBy: ['the listing of', 'listings whose requests were cut'],
    patches: [['waitForBody', 'error === undefined', "error === undefined || error.code === 'invalid_header'"]],
  },
  {
    what: 'An error in the body is sent even after the response',
    foundBy: 'a trailer that gives a coding',
    patches: [['isAnswered', '!latest.complete', 'false']],
  },
];
