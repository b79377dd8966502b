import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPerson, signIn } from '../../../testkit/src/browser.ts';
import { readError } from '../../../testkit/src/replies.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { removeMember } from '../../src/domain/accounts/memberships.ts';
import { listSavedViews } from '../../src/storage/saved-views.ts';

const service = await startSharedService();

test('members save, replace, and delete their own views, which no other user sees', async () => {
  const ada = await createPerson(service);
  const grace = await createPerson(service, { accountId: ada.accountId, role: 'member' });
  const [first, second] = [await signIn(service, ada), await signIn(service, grace)];
  const view = { name: 'Austin / below 500,000', search: 'city=Austin&listPrice[lte]=500000' };
  assert.deepEqual(await first.ask('POST', '/admin/views', view), view);
  await first.ask('POST', '/admin/views', { name: 'Active', search: 'status=active' });
  await first.ask('POST', '/admin/views', { name: 'Active', search: 'status=pending' });
  assert.deepEqual(await first.ask('GET', '/admin/views'), {
    data: [{ name: 'Active', search: 'status=pending' }, view],
    nextCursor: null,
  });
  assert.deepEqual((await second.ask('GET', '/admin/views')).data, []);
  const path = `/admin/views/${encodeURIComponent(view.name)}`;
  await readError(await second.send('DELETE', path), 404, 'not_found');
  await first.ask('DELETE', path, undefined, 204);
  await readError(await first.send('DELETE', path), 404, 'not_found');
  // Clients remove `.` and `..` from paths, so such a view could not be deleted.
  for (const name of ['.', ' .. '])
    await readError(await first.send('POST', '/admin/views', { ...view, name }), 422, 'validation_failed');

  await second.ask('POST', '/admin/views', view);
  await removeMember(service.database, ada.accountId, grace.userId, 'operator');
  await readError(await second.send('POST', '/admin/views', view), 401, 'unauthorized');
  assert.deepEqual(await listSavedViews(service.database, ada.accountId, grace.userId), []);
});

test('a member has at most 50 views of at most 2 KiB', async () => {
  const browser = await signIn(service, await createPerson(service));
  const save = (name: string, search = 'q=x') => browser.send('POST', '/admin/views', { name, search });
  for (let count = 0; count < 50; count += 1) assert.equal((await save(`View ${count}`)).status, 200);
  await readError(await save('One more'), 409, 'conflict');
  assert.equal((await save('View 7', 'q=y')).status, 200);
  for (const [name, search] of [
    ['', 'q=x'],
    ['x'.repeat(61), 'q=x'],
    ['x', ''],
    ['x', 'x'.repeat(2_049)],
  ] as const) {
    await readError(await save(name, search), 422, 'validation_failed');
  }
});
