import { type EventPage, eventJson, followEvents } from '../../domain/events/events.ts';
import type { StoredEvent } from '../../storage/events.ts';
import { eventsOperation, LIMIT_DEFAULT } from '../contract/operations/events.ts';
import { endpoint } from '../endpoint.ts';
import { inChunks } from '../protocol/chunks.ts';
import { abortWhenLeft } from '../protocol/exchange.ts';
import { replyJson } from '../protocol/reply.ts';

export const eventEndpoints = [
  endpoint(eventsOperation, async (exchange, { query, services }) => {
    const { incoming, principal } = exchange;
    const { after = 0, epoch, limit = LIMIT_DEFAULT, wait = 0, type: types, listingId, feed } = query;
    const filter = (types ?? listingId ?? feed) ? { types, listingId, feed } : undefined;
    // A response to HEAD does not contain events, so it does not wait for one.
    const durationMs = incoming.method === 'HEAD' ? 0 : wait * 1000;
    const options = { durationMs, signal: abortWhenLeft(exchange) };
    const page = await followEvents(services, principal, { after, epoch, limit, filter }, options);
    return { ...replyJson(200, pageJson(page)), isCompressible: true };
  }),
];

function pageJson({ first, rest, epoch, lastExamined }: EventPage): string | AsyncIterable<Buffer> {
  const toText = (events: StoredEvent[]) => events.map(eventJson).join(',');
  const start = `{"data":[${toText(first)}`;
  const end = () => `],"nextAfter":${lastExamined()},"epoch":"${epoch}"}`;
  return rest === undefined ? start + end() : inChunks([start], rest, (events) => [`,${toText(events)}`], end);
}
