import type { PostgresServer } from '../../../../server/test/support/postgres.ts';
import { commitWith, createStandby, promote } from '../../../../server/test/support/postgres-standby.ts';
import type { Trial } from '../../part.ts';
import { SERVER_SETTINGS, type Stage } from './stage.ts';

/** What goes before the server is gone for good and its standby takes its place. */
export type Course = 'at once' | 'standby gone before' | 'standby gone and server restarted before';

/** Kills the server for good, lets its standby take its place behind the same address, and waits until writes go on. */
export async function failOver(stage: Stage, { fault, after }: Trial, name: string, course: Course): Promise<void> {
  const { server, proxy, told, expect } = stage;
  const standby = await createStandby(server, name, SERVER_SETTINGS);
  after(() => standby.stop());
  if (fault?.name !== 'asynchronous-standby') await commitWith(server, name);
  await workOn(stage);
  if (course !== 'at once') await loseStandby(stage, standby);
  if (course === 'standby gone and server restarted before') {
    const refused = told('unavailable');
    const replayed = told('replayed');
    await server.halt('SIGKILL');
    await server.start();
    await expect('who was told nothing asks again', () => told('replayed') > replayed || told('unavailable') > refused + 50);
  }
  await server.halt('SIGKILL');
  if (course !== 'at once') await standby.start();
  await promote(standby);
  proxy.redirect(standby.url);
  stage.server = standby;
  await server.stop();
  await workOn(stage);
}

/** From now on no commit is on both. */
async function loseStandby({ told, expect }: Stage, standby: PostgresServer): Promise<void> {
  const unknown = told('outcome_unknown');
  const acknowledged = told('acknowledged');
  await standby.halt('SIGKILL');
  // With a synchronous standby nobody is told that something was written from now on.
  await expect('work without the standby', () => told('outcome_unknown') > unknown || told('acknowledged') > acknowledged + 200);
}

const ACKNOWLEDGED = 100;

/** Waits until requests are answered. */
export async function workOn({ told, expect }: Stage, acknowledged = ACKNOWLEDGED): Promise<void> {
  const before = told('acknowledged');
  await expect('requests are answered', () => told('acknowledged') >= before + acknowledged);
}
