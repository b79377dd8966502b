import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AT_ONCE, describe, type Figure, guessLinks, PASSWORD, type Person, type Scene } from './scene.ts';

type Start = Pick<Scene, 'trial' | 'database' | 'tally' | 'visitor'>;

/** Guesses and reuses the setup link, and returns the first administrator. */
export async function trySetupLink(start: Start): Promise<{ ada: Person; accountId: string; figures: Figure[] }> {
  const { trial, database, visitor } = start;
  const person = { name: 'Ada Lovelace', email: 'ada@example.com', password: PASSWORD, accountName: 'Hill Country' };
  const guesses = await guessLinks(start, ['/admin/setup', '/admin/setup/preview'], person, 403);

  const token = (await readFile(join(trial.directory, 'setup-link.txt'), 'utf8')).trim().split('#token=')[1];
  const given = { token, ...person };
  const [link] = await database.sql('select expires_at from setup_links');
  await database.sql('update setup_links set expires_at = ?', Date.now() - 1);
  await visitor().ask('POST', '/admin/setup', given, 403);
  await database.sql('update setup_links set expires_at = ?', Number(link?.expires_at));

  const browsers = Array.from({ length: AT_ONCE }, visitor);
  const statuses = await Promise.all(
    browsers.map(async (browser, index) => {
      const { status } = await browser.get('POST', '/admin/setup', { ...given, email: `ada${index}@example.com` });
      return status;
    }),
  );
  const [winner = -1, ...others] = statuses.flatMap((status, index) => (status === 201 ? [index] : []));
  assert.deepEqual(others, [], `of ${AT_ONCE} at once with the setup link ${others.length + 1} became administrators`);
  assert.ok(winner >= 0, `none of ${AT_ONCE} came in by the setup link: ${statuses}`);
  const users = await database.sql('select id from users');
  assert.equal(users.length, 1, `${users.length} became the first administrator`);
  await visitor().ask('POST', '/admin/setup', given, 409);
  const browser = browsers[winner] ?? visitor();
  const { user, account } = await browser.ask('GET', '/admin/session');
  const figures: Figure[] = [
    ['guessed setup links that were accepted', `0 of ${guesses}`],
    [`of ${AT_ONCE} at once with the right one`, `1 became the administrator (${describe(statuses)})`],
  ];
  return { ada: { id: user.id, email: user.email, browser }, accountId: account.id, figures };
}
