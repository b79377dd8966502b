import type { PlantedFault } from '../../part.ts';

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'Nobody is refused, however many wait',
    foundBy: 'requests was refused',
    patches: [['Line.isTooLong', 'if (this.#places.size >=', 'return false; if (this.#places.size >=']],
  },
  {
    what: 'Refusals do not say when to come back',
    foundBy: 'without Retry-After',
    patches: [['Overloaded', "{ 'Retry-After': String(seconds) }", '{}']],
  },
  {
    what: 'What is refused is done all the same',
    foundBy: 'were refused or deleted and are there',
    patches: [
      ['createApp', '? reject(exchange, found)', '? respond(exchange, found).then(() => reject(exchange, found))'],
    ],
  },
  {
    what: 'Without a good key it is 503 instead of 401',
    foundBy: 'replies are not what they must be',
    patches: [['createApp', 'await gate?.requireLikelyCaller?.(exchange, services)', '']],
  },
  {
    what: 'A connection on which something was refused is not read any more',
    foundBy: 'requests were never answered',
    patches: [['UnreadConnections.#check', 'socket.resume()', 'void socket']],
  },
];
