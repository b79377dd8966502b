import { withoutChance } from '../../../../testkit/src/chance.ts';
import type { Canaries } from './canaries.ts';
import type { Answer } from './wire.ts';

const CHANCE_HEADERS = /^(?:date|x-request-id|set-cookie|keep-alive|ratelimit):/i;
/** Two that were written one after the other have different versions. */
const LENGTH_HEADER = /^content-length:/i;

/** What must be the same of two answers: all but what is different each time, and what was sent. */
export function comparable({ head, body }: Answer, isRead: boolean, canaries: Canaries): string {
  const lines = head.split('\n').filter((line) => !CHANCE_HEADERS.test(line));
  const kept = isRead ? lines : lines.filter((line) => !LENGTH_HEADER.test(line));
  return withoutChance(canaries.mask(`${kept.join('\n')}\n\n${body}`))
    .replaceAll(/"requestId":"[^"]+"/g, '"requestId":""')
    .replaceAll(/MLS\d{9}/gi, 'MLS')
    .replaceAll(/(?:W\/)?"[\w-]+"(?=\n)/g, 'ETAG')
    .replaceAll(/("nextCursor":"|cursor=)[\w-]+/g, '$1')
    .replaceAll(/"(version|requests24h|errors24h|sequence)":\d+/g, '"$1":0')
    .replaceAll(/"lastUsedAt":(?:null|"TIME")/g, '"lastUsedAt":null');
}
