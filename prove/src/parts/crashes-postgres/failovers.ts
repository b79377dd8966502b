import type { PostgresServer } from '../../../../testkit/src/postgres.ts';
import { commitWith, createStandby, promote } from '../../../../testkit/src/postgres-standby.ts';
import type { Trial } from '../../part.ts';
import { ASYNCHRONOUS_STANDBY } from './planted-faults.ts';
import { SERVER_SETTINGS, type Stage } from './stage.ts';

/** What happens before the failover. */
export type Course = 'at once' | 'standby gone before' | 'standby gone and server restarted before';

/** Kills the server for good, lets its standby take its place behind the same address, and waits until writes go on. */
export async function failOver(
  stage: Stage,
  { plantedFault, after }: Trial,
  name: string,
  course: Course,
): Promise<void> {
  const { server, proxy } = stage;
  const standby = await createStandby(server, name, SERVER_SETTINGS);
  after(() => standby.stop());
  if (plantedFault !== ASYNCHRONOUS_STANDBY) await commitWith(server, name);
  await workOn(stage);
  if (course !== 'at once') await loseStandby(stage, standby);
  if (course === 'standby gone and server restarted before') {
    await server.halt('SIGKILL');
    await server.start();
    await workInVain(stage, REFUSED);
  }
  await server.halt('SIGKILL');
  if (course !== 'at once') await standby.start();
  await promote(standby);
  proxy.redirect(standby.url);
  stage.server = standby;
  await server.stop();
  await workOn(stage);
}

/** From now on, commits do not reach both. */
async function loseStandby(stage: Stage, standby: PostgresServer): Promise<void> {
  await standby.halt('SIGKILL');
  await workInVain(stage, 1);
}

/** Every client has tried twice. */
const REFUSED = 16;

/** Waits for this many rejections or unknown outcomes, or for many acknowledged writes instead. */
async function workInVain({ told, expect }: Stage, refused: number): Promise<void> {
  const acknowledged = told('acknowledged');
  const tellRefused = () => told('unavailable') + told('outcome_unknown');
  const before = tellRefused();
  const isEnough = () => tellRefused() >= before + refused || told('acknowledged') > acknowledged + ACKNOWLEDGED;
  await expect('work without the standby', isEnough);
}

const ACKNOWLEDGED = 50;

export async function workOn({ told, expect }: Stage, acknowledged = ACKNOWLEDGED): Promise<void> {
  const before = told('acknowledged');
  await expect('writes are acknowledged', () => told('acknowledged') >= before + acknowledged);
}
