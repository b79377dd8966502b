import assert from 'node:assert/strict';
import { addPerson, type Figure, invite, PASSWORD, type Scene, sizeOf } from './scene.ts';

const ADMINISTRATORS = "select user_id from memberships where account_id = ? and role = 'administrator'";

/** Two administrators demote, then remove, each other at once: one must remain. */
export async function tryLastAdministrator(scene: Scene): Promise<Figure[]> {
  const { ada, accountId, database, trial } = scene;
  const other = await addPerson(scene, 'administrator');
  const pair = [ada, other];
  const change = (method: string, body?: unknown) =>
    Promise.all(
      pair.map(async ({ browser }, index) => {
        const target = pair[1 - index]?.id;
        return (await browser.get(method, `/admin/members/${target}`, body)).status;
      }),
    );
  const rounds = sizeOf(trial, 20, 2);
  const find = () => database.sql(ADMINISTRATORS, accountId);
  for (let round = 0; round < rounds; round += 1) {
    const statuses = await change('PATCH', { role: 'member' });
    const left = await find();
    const words = `two administrators demoted each other at once (${statuses}): ${left.length} are left`;
    assert.equal(left.length, 1, words);
    const stayed = pair.find(({ id }) => id === left[0]?.user_id);
    const demoted = pair.find(({ id }) => id !== left[0]?.user_id);
    await stayed?.browser.ask('PATCH', `/admin/members/${stayed.id}`, { role: 'member' }, 409);
    await stayed?.browser.ask('DELETE', `/admin/members/${stayed.id}`, undefined, 409);
    await stayed?.browser.ask('PATCH', `/admin/members/${demoted?.id}`, { role: 'administrator' });
  }
  const left = await tryRemoval(scene);
  return [
    ['rounds in which two administrators demoted each other at once', `${rounds}, one left in each`],
    ['administrators who removed each other at once', `2, ${left} left`],
  ];
}

/** In the other account: the removed administrator is gone. */
async function tryRemoval({ mallory, visitor, database }: Scene): Promise<number> {
  const { account } = await mallory.browser.ask('GET', '/admin/session');
  const token = await invite(mallory, 'partner@example.com', 'administrator');
  const browser = visitor();
  const given = { token, name: 'Partner', password: PASSWORD };
  const { user } = await browser.ask('POST', '/admin/invitations/accept', given);
  const statuses = await Promise.all([
    mallory.browser.get('DELETE', `/admin/members/${user.id}`),
    browser.get('DELETE', `/admin/members/${mallory.id}`),
  ]);
  const left = await database.sql(ADMINISTRATORS, account.id);
  const told = statuses.map(({ status }) => status).join(', ');
  assert.equal(left.length, 1, `of two who removed each other at once (${told}) ${left.length} are left`);
  return left.length;
}
