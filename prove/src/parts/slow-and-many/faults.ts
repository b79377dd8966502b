import type { Fault, Patch } from '../../part.ts';

const SERVER = 'server/src/http/protocol/server.ts';
const BODY = 'server/src/http/protocol/body.ts';

/** The small form has no time for minutes of patience: there it is as short. */
export const SHORT_PATIENCE: readonly Patch[] = [
  { file: SERVER, from: 'HEADERS_TIMEOUT_MS = 10_000', to: 'HEADERS_TIMEOUT_MS = 2_000' },
  { file: SERVER, from: 'KEEP_ALIVE_TIMEOUT_MS = 65_000', to: 'KEEP_ALIVE_TIMEOUT_MS = 3_000' },
  { file: SERVER, from: 'IDLE_TIMEOUT_MS = 75_000', to: 'IDLE_TIMEOUT_MS = 4_000' },
  { file: BODY, from: 'DURATION_MAX_MS = 60_000', to: 'DURATION_MAX_MS = 3_000' },
];

export const faults: readonly Fault[] = [
  {
    name: 'idle-for-ever',
    what: 'A connection may be idle for ever between two requests',
    patches: [
      { file: SERVER, from: 'keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,', to: 'keepAliveTimeout: 0,' },
      { file: SERVER, from: 'server.timeout = idleTimeoutMs;', to: 'server.timeout = 0;' },
    ],
  },
  {
    name: 'idle-too-short',
    what: 'Idle connections are closed after half a second',
    patches: [
      {
        file: SERVER,
        from: 'keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,',
        to: 'keepAliveTimeout: 500, keepAliveTimeoutBuffer: 0,',
      },
    ],
  },
  {
    name: 'heads-for-ever',
    what: 'The head of a request may take for ever',
    patches: [{ file: SERVER, from: 'headersTimeout: HEADERS_TIMEOUT_MS,', to: 'headersTimeout: 0,' }],
  },
  {
    name: 'bodies-for-ever',
    what: 'A body may take for ever',
    patches: [{ file: BODY, from: 'deadline = setTimeout(onSlow, DURATION_MAX_MS);', to: '' }],
  },
  {
    name: 'readers-for-ever',
    what: 'Who never reads is kept for ever',
    patches: [{ file: SERVER, from: 'server.timeout = idleTimeoutMs;', to: 'server.timeout = 0;' }],
  },
  {
    name: 'buffered',
    what: 'A list is made whole, however fast it is read',
    patches: [{ file: 'server/src/http/protocol/send.ts', from: '{ highWaterMark: 1 }', to: '{ highWaterMark: 1e9 }' }],
  },
  {
    name: 'never-let-in-again',
    what: 'Whoever comes again after a head that took too long is not let in',
    patches: [
      {
        file: SERVER,
        from: "server.on('clientError', ",
        to: "server.on('clientError', ({ code }) => { if (code === 'ERR_HTTP_REQUEST_TIMEOUT') server.maxConnections = 1; }); server.on('clientError', ",
      },
    ],
  },
  {
    name: 'lost-create',
    what: 'Some creates are acknowledged and have an event, but are not stored',
    patches: [
      {
        file: 'server/src/domain/write-path.ts',
        from: 'await insertListing(session, account.id, { id, version, sequence, doc }, findable);',
        to: 'if (Math.random() < 0.8) await insertListing(session, account.id, { id, version, sequence, doc }, findable);',
      },
    ],
  },
  {
    name: 'crash',
    what: 'A head that takes too long ends the service',
    patches: [
      {
        file: 'server/src/http/protocol/refuse.ts',
        from: "case 'ERR_HTTP_REQUEST_TIMEOUT':",
        to: "case 'ERR_HTTP_REQUEST_TIMEOUT': throw new Error('planted');",
      },
    ],
  },
];
