import type { Fault } from '../../part.ts';

const SERVER = 'server/src/http/protocol/server.ts';

export const faults: readonly Fault[] = [
  {
    name: 'insecure-parser',
    what: 'The parser is told to be lenient',
    patches: [
      { file: SERVER, from: 'requireHostHeader: false,', to: 'requireHostHeader: false, insecureHTTPParser: true,' },
    ],
  },
  {
    name: 'two-hosts',
    what: 'Two Host lines are taken',
    patches: [{ file: SERVER, from: 'if (hosts > 1)', to: 'if (hosts > 1 && false)' }],
  },
  {
    name: 'pipelined-behind-refused',
    what: 'What stands behind a refused request is done',
    patches: [
      { file: SERVER, from: 'if (finished.has(socket)) return void process.nextTick(() => socket.pause());', to: '' },
    ],
  },
  {
    name: 'chunks-in-http-1.0',
    what: 'HTTP/1.0 may send chunks',
    patches: [
      { file: SERVER, from: "if (coding !== undefined && httpVersion === '1.0')", to: 'if (coding === httpVersion)' },
    ],
  },
  {
    name: 'codings',
    what: 'Any transfer coding is taken for chunked',
    patches: [
      {
        file: SERVER,
        from: "if (coding !== undefined && coding.toLowerCase() !== 'chunked')",
        to: 'if (coding === httpVersion)',
      },
    ],
  },
  {
    name: 'crash',
    what: 'A path with an encoded dot throws where nobody catches it',
    patches: [
      {
        file: SERVER,
        from: 'incoming.url = normalTarget(',
        to: "if (incoming.url?.includes('/%2e%2e/')) throw new Error('planted'); incoming.url = normalTarget(",
      },
    ],
  },
  {
    name: 'half-escape',
    what: 'A percent sign without digits in a path is the service’s own error',
    patches: [
      {
        file: 'server/src/http/protocol/router.ts',
        from: '  } catch {\n    throw nothingHere();',
        to: '  } catch (error) {\n    throw error;',
      },
    ],
  },
  {
    name: 'cut-body',
    what: 'A body whose connection ends is taken for whole',
    patches: [
      {
        file: 'server/src/http/protocol/body.ts',
        from: "finish(new AppError('invalid_header', 'The connection ended before the body did.'));",
        to: 'finish();',
      },
    ],
  },
  {
    name: 'answered-twice',
    what: 'What is wrong with a body is told after the reply, too',
    patches: [
      {
        file: 'server/src/http/protocol/refuse.ts',
        from: 'return latest instanceof IncomingMessage && !latest.complete;',
        to: 'return false;',
      },
    ],
  },
];
