import assert from 'node:assert/strict';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Asking } from './trier.ts';
import type { Filled, World } from './world.ts';

const NOTHING = { visible: new Set<string>(), sent: new Set<string>() };

/** All data of an account as its administrator sees it, except key use. */
export async function stateOf({ founder, gates }: World, { session }: Filled): Promise<string> {
  const paths = gates.admin.operations
    .filter(({ method, path }) => method === 'get' && !path.includes('{') && path !== '/overview')
    .map(({ path }) => gates.admin.base + path);
  const texts: string[] = [];
  for (const path of paths) {
    const { body } = await founder.ask({ method: 'GET', path, headers: session });
    texts.push(`${path} ${body.replaceAll(/"(lastUsedAt|updatedAt|requests24h|errors24h)":(?:"[^"]*"|\w+)/g, '"$1"')}`);
  }
  return texts.join('\n');
}

/** A log line reveals nothing of others except what the request itself named. */
export async function assertQuietLog({ canaries }: World, { asked }: Asking, log: ServeProcess['log'], start: number) {
  const lines = () => log.slice(start).filter(({ requestId }) => asked.has(String(requestId)));
  await until('every request is in the log', () => lines().length >= asked.size);
  // Other requests are the owners' own.
  const isAsked = ({ msg, requestId }: (typeof log)[number]) => msg !== 'request' || asked.has(String(requestId));
  for (const line of log.slice(start).filter(isAsked)) {
    const { visible, sent } = asked.get(String(line.requestId)) ?? NOTHING;
    const leaks = canaries.leaks(JSON.stringify(line), visible, sent);
    assert.deepEqual(leaks, [], `a line of the log tells of others: ${JSON.stringify(line)}`);
  }
  return asked.size;
}
