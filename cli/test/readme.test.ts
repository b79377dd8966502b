import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withoutChance } from '../../testkit/src/chance.ts';
import { defer } from '../../testkit/src/cleanup.ts';
import { REPOSITORY } from '../../testkit/src/process.ts';
import { startTestService } from '../../testkit/src/service.ts';
import { directoryFor } from '../../testkit/src/serving.ts';
import { emptyConfiguration, shell } from './support/cli.ts';

const ORIGIN = 'http://127.0.0.1:3000';
/** The address of a program that receives webhooks. */
const RECEIVER = 'http://localhost:3000/hooks';
const LISTING_ID = /lst_[0-9a-z]{26}/g;

for (const document of ['cli/README.md', 'docs/feeds.md']) {
  test(`the commands in ${document} work and print the output that it shows`, async (t) => {
    await using service = await startTestService();
    const { key } = await service.createTenant();
    const directory = await directoryFor(t);
    await cp(join(REPOSITORY, 'docs/samples'), directory, { recursive: true });
    await writeFile(join(directory, 'key.txt'), `${key}\n`);
    const settings = await emptyConfiguration(t);
    const receiverUrl = await receiverFor(t);
    let id = '';
    const steps = stepsOf(readFileSync(join(REPOSITORY, document), 'utf8'));
    assert.ok(steps.length > 10);
    for (const { command, expected } of steps) {
      const line = command.replace(ORIGIN, service.url).replace(RECEIVER, receiverUrl).replace(LISTING_ID, id);
      const { output, closed } = shell(t, `cd '${directory}'; exec 2>&1; ${line}`, settings);
      await closed;
      assert.equal(comparable(output.stdout.replaceAll(service.url, ORIGIN)), comparable(expected), command);
      id ||= LISTING_ID.exec(output.stdout)?.[0] ?? '';
    }
  });
}

/** Starts a program that accepts every webhook. @returns its URL */
async function receiverFor(t: TestContext): Promise<string> {
  const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  defer(t, () => {
    receiver.close();
    receiver.closeAllConnections();
  });
  await once(receiver, 'listening');
  return `http://127.0.0.1:${Object(receiver.address()).port}/hooks`;
}

/** The commands of all console blocks, each with its output. A command ends at a line without a backslash. */
function stepsOf(text: string): { command: string; expected: string }[] {
  const blocks = [...text.matchAll(/^```console\n(.*?)^```/gms)].map(([, content = '']) => content);
  return blocks
    .flatMap((content) => content.split(/^\$ /m).slice(1))
    .map((step) => {
      const [command = ''] = /^(?:.*\\\n)*.*/.exec(step) ?? [];
      return { command, expected: step.slice(command.length + 1) };
    });
}

function comparable(text: string): string {
  // Documents do not show the line endings of CSV.
  return withoutChance(text.replaceAll('\r\n', '\n'))
    .replaceAll(/\b\d+ ms\b/g, 'MS')
    .replaceAll(/lastSuccessAgeSeconds\t\d+/g, 'lastSuccessAgeSeconds\tSECONDS')
    .replaceAll(/request id: [\w-]+/g, 'request id: ID')
    .replaceAll(/Stored in .*settings\.json/g, 'Stored in settings.json');
}
