import assert from 'node:assert/strict';
import { createPostgresServer } from '../../../../testkit/src/postgres.ts';
import { bareEnvironment, REPOSITORY } from '../../../../testkit/src/process.ts';
import { spawnFor } from '../../../../testkit/src/serving.ts';
import type { Trial } from '../../part.ts';
import { plantedEnvironment } from '../../plant.ts';

export async function startEngine(trial: Trial): Promise<string> {
  const server = await createPostgresServer();
  trial.after(() => server.stop());
  return server.url;
}

const TEST = `${REPOSITORY}/server/test/postgres/both-engines.test.ts`;

/**
 * The same requests to both engines must get the same bytes. The test runs both services in its own
 * process, with one clock.
 */
export async function compareEngines(trial: Trial, requests: number, server: string): Promise<number> {
  const settings = {
    ...plantedEnvironment(trial.plantedFault),
    ENGINE_REQUESTS: String(requests),
    ENGINE_SEED: String(trial.seed),
    TEST_POSTGRES_URL: server,
  };
  const args = ['--test', '--test-isolation=none', '--test-reporter=tap', '--test-timeout=3600000', TEST];
  const { output, closed } = spawnFor(trial, process.execPath, args, bareEnvironment(settings), REPOSITORY);
  const code = await closed;
  const [, count] = /(\d+) requests/.exec(output.stdout) ?? [];
  assert.equal(code, 0, `the engines differ: ${output.stdout.slice(0, 3_000)}${output.stderr.slice(0, 500)}`);
  assert.ok(Number(count) > requests / 2, `only ${count} requests were compared`);
  return Number(count);
}
