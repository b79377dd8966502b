import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientFor, databaseFor, serviceFor } from '../../server/test/postgres/support.ts';
import { loggingUrl, recordScripts, startPostgres } from '../src/postgres/recordings.ts';

const server = await startPostgres();
after(() => server.stop());

test('recorded SQL reads a list and creates listings', async (t) => {
  const database = await databaseFor(t, server.url);
  const service = await serviceFor(t, database, { url: loggingUrl(database.url) });
  const { key } = await service.createTenant();
  // A number that appears nowhere else in the recorded SQL.
  await database.sql('update account_heads set sequence = 1000');
  const scripts = await recordScripts(Number(new URL(service.url).port), server.readLog, key);
  const client = await clientFor(t, database);
  await runScript(client, scripts['list of 20']);
  for (let turn = 0; turn < 2; turn += 1) await runScript(client, scripts.create);
  const reply = await fetch(`${service.url}/v1/listings?fields=address`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const body = await reply.text();
  assert.equal(body.match(/"12 Elm Street"/g)?.length, 3, body);
  const events = await database.sql('select sequence from events order by sequence');
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [1001, 1002, 1003],
  );
});

/** Interprets the parts of pgbench's language that the scripts use. */
async function runScript(client: Awaited<ReturnType<typeof clientFor>>, script: string): Promise<void> {
  const variables = new Map<string, unknown>([['number', Math.floor(Math.random() * 1e15)]]);
  const fill = (text: string) =>
    text.replaceAll(/:(number|sequence|next)\b/g, (_, name: string) => String(variables.get(name)));
  for (const line of script.split('\n')) {
    if (line === '\\set next :sequence + 1') variables.set('next', Number(variables.get('sequence')) + 1);
    if (line.startsWith('\\')) continue;
    const [statement = '', ...asks] = line.split(' \\gset');
    const { rows } = await client.query<Record<string, unknown>>(fill(statement));
    if (asks.length > 0) for (const [name, value] of Object.entries(rows[0] ?? {})) variables.set(name, value);
  }
}
