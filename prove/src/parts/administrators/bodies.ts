import assert from 'node:assert/strict';
import { callAs, nameOf, stateOf } from './operations.ts';
import { addPerson, type Figure, invite, PASSWORD, type Scene, someOf } from './scene.ts';

export async function tryBodies(scene: Scene): Promise<Figure[]> {
  const member = await addPerson(scene);
  const operations = scene.operations.filter(({ requestBody }) => requestBody !== undefined);
  const ids = scene.things;
  const before = await stateOf(scene);
  let sent = 0;
  for (const operation of operations) {
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
      if (!type.endsWith('json') || typeof media.example !== 'object' || Array.isArray(media.example)) continue;
      const example = JSON.stringify(media.example ?? {});
      const others = MORE.filter(({ name }) => !Object.hasOwn(Object(media.example), name));
      for (const more of someOf(scene.trial, others, 6)) {
        const body = example === '{}' ? `{${more.text}}` : `${example.slice(0, -1)},${more.text}}`;
        for (const { browser } of [member, scene.ada]) {
          const what = `${nameOf(operation)} with ${more.text}`;
          const answer = await callAs(browser, operation, ids, { body, headers: { 'Content-Type': type } });
          assert.ok(answer.status >= 400 && answer.status < 500, `${what} is answered ${answer.status}`);
          sent += 1;
        }
      }
    }
  }
  assert.equal(await stateOf(scene), before, 'a member of a body that is not its own has changed something');
  await tryAcceptance(scene);
  const { status } = await member.browser.get('GET', '/admin/members');
  assert.equal(status, 403, `afterwards a member is answered ${status}`);
  scene.tally.forbidden += sent;
  return [['bodies with extra members: roles, ids, prototypes', `${sent}, 0 accepted`]];
}

const MORE = [
  ['role', '"administrator"'],
  ['isAdmin', 'true'],
  ['accountId', '"acc_0"'],
  ['account_id', '"acc_0"'],
  ['userId', '"usr_0"'],
  ['emailVerified', 'true'],
  ['banned', 'false'],
  ['twoFactorEnabled', 'false'],
  ['trustDevice', 'true'],
  ['callbackURL', '"https://evil.example"'],
  ['__proto__', '{"role":"administrator","isAdmin":true}'],
  ['constructor', '{"prototype":{"role":"administrator"}}'],
].map(([name = '', value]) => ({ name, text: `"${name}":${value}` }));

async function tryAcceptance(scene: Scene): Promise<void> {
  const token = await invite(scene.ada, 'climber@example.com');
  const given = { token, name: 'Climber', password: PASSWORD };
  const climber = scene.visitor();
  const tried = await climber.get('POST', '/admin/invitations/accept', { ...given, role: 'administrator' });
  if (tried.status !== 200) await climber.ask('POST', '/admin/invitations/accept', given);
  const { account } = await climber.ask('GET', '/admin/session');
  assert.equal(account.role, 'member', `an invited member who claims another role is ${account.role}`);
}
