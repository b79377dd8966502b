import type { PlantedFault } from '../../part.ts';

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'No request is rejected, however many wait',
    foundBy: 'requests was refused',
    patches: [['Line.isTooLong', 'if (this.#places.size >=', 'return false; if (this.#places.size >=']],
  },
  {
    what: 'Rejections have no Retry-After',
    foundBy: 'without Retry-After',
    patches: [['Overloaded', "{ 'Retry-After': String(seconds) }", '{}']],
  },
  {
    what: 'Rejected requests are executed anyway',
    foundBy: 'were refused or deleted and are there',
    patches: [
      ['createApp', '? reject(exchange, found)', '? respond(exchange, found).then(() => reject(exchange, found))'],
    ],
  },
  {
    what: 'A request without a valid key gets 503 instead of 401',
    foundBy: 'replies are not what they must be',
    patches: [['createApp', 'await gate?.requireLikelyCaller?.(exchange, services)', '']],
  },
  {
    what: 'A connection with a rejected request is no longer read',
    foundBy: 'requests were never answered',
    patches: [['UnreadConnections.#check', 'socket.resume()', 'void socket']],
  },
];
