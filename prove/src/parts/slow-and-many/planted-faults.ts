import type { Patch, PlantedFault } from '../../part.ts';

/** The small form has no time for minutes of patience: there it is as short. */
export const SHORT_PATIENCE: readonly Patch[] = [
  ['HEADERS_TIMEOUT_MS', '10_000', '2_000'],
  ['KEEP_ALIVE_TIMEOUT_MS', '65_000', '3_000'],
  ['server:IDLE_TIMEOUT_MS', '75_000', '4_000'],
  ['DURATION_MAX_MS', '60_000', '3_000'],
];

const ENDLESS_READERS: Patch = ['createHttpServer', 'server.timeout = idleTimeoutMs', 'server.timeout = 0'];
const KEPT = 'connections are kept for ever';
const OTHERWISE = 'were turned away otherwise';

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'A connection can stay idle forever between two requests',
    foundBy: KEPT,
    patches: [['createHttpServer', 'KEEP_ALIVE_TIMEOUT_MS', '0'], ENDLESS_READERS],
  },
  {
    what: 'Idle connections are closed after half a second',
    foundBy: 'connections at half-time',
    patches: [['createHttpServer', 'KEEP_ALIVE_TIMEOUT_MS', '500, keepAliveTimeoutBuffer: 0']],
  },
  {
    what: 'The headers of a request can take forever',
    foundBy: OTHERWISE,
    patches: [['createHttpServer', 'HEADERS_TIMEOUT_MS', '0']],
  },
  {
    what: 'A body can take forever',
    foundBy: KEPT,
    patches: [['waitForBody', 'setTimeout(onSlow, DURATION_MAX_MS)', 'undefined']],
  },
  {
    what: 'A client that never reads is kept forever',
    foundBy: 'that never read were turned away',
    patches: [ENDLESS_READERS],
  },
  {
    what: 'A list is built in full, however slowly it is read',
    foundBy: 'memory has grown by',
    patches: [['sendInChunks', 'highWaterMark: 1', 'highWaterMark: 1e9']],
  },
  {
    what: 'A client whose headers timed out cannot reconnect',
    foundBy: OTHERWISE,
    patches: [
      [
        'createHttpServer',
        "server.on('clientError',",
        `server.on('clientError', ({ code }) => { if (code === 'ERR_HTTP_REQUEST_TIMEOUT') server.maxConnections = 1; });
        server.on('clientError',`,
      ],
    ],
  },
  {
    what: 'Every second create is acknowledged and has an event, but is not stored',
    foundBy: 'were acknowledged and are missing',
    patches: [['storeCreated', 'await insertListing', 'if (sequence % 2 === 1) await insertListing']],
  },
  {
    what: 'A head that takes too long ends the service',
    foundBy: 'the server closed the connection',
    patches: [
      ['refuse:toIssue', "'ERR_HTTP_REQUEST_TIMEOUT':", "'ERR_HTTP_REQUEST_TIMEOUT': throw new Error('planted');"],
    ],
  },
];
