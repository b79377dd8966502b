import assert from 'node:assert/strict';
import { Browser } from '../../../../server/test/support/browser.ts';
import { runCommand } from '../../../../server/test/support/process.ts';
import type { Callers } from './lane.ts';

export const PASSWORD = 'correct horse battery staple';

/** An account with somebody who administers it, a member, and keys. */
export interface World {
  url: string;
  email: string;
  browser: Browser;
  member: Browser;
  memberId: string;
  administratorId: string;
  callers: Callers;
}

/** What a proxy says of where a request comes from: each lane has an address of its own, so that none is refused for another. */
export function from(address: string): Record<string, string> {
  return { 'X-Forwarded-For': address };
}

export async function createWorld(url: string, settings: Record<string, string>, lane: number): Promise<World> {
  const email = `ada-${lane}@example.com`;
  const args = [
    'accounts',
    'create',
    '--name',
    `Lane ${lane}`,
    '--admin-email',
    email,
    '--admin-password-stdin',
    '--json',
  ];
  const { code, stderr } = await runCommand(args, settings, `${PASSWORD}\n`);
  assert.equal(code, 0, stderr);
  const browser = new Browser({ url });
  const session = await browser.ask('POST', '/admin/auth/sign-in/email', { email, password: PASSWORD });
  const keys = [];
  for (const access of ['full', 'read', 'full']) {
    keys.push(await browser.ask('POST', '/admin/api-keys', { name: 'Fuzz', access }, 201));
  }
  const [full, read, deleted] = keys;
  await browser.ask('DELETE', `/admin/api-keys/${deleted.id}`, undefined, 204);
  const { member, memberId } = await invite(browser, url, `grace-${lane}@example.com`);
  const callers = callersOf(url, { full: full.key, read: read.key, deleted: deleted.key }, { browser, member });
  return { url, email, browser, member, memberId, administratorId: session.user.id, callers };
}

/** Somebody who joins the account with a password of their own. */
async function invite(browser: Browser, url: string, email: string): Promise<{ member: Browser; memberId: string }> {
  const { url: link } = await browser.ask('POST', '/admin/invitations', { email, role: 'member' }, 201);
  const [, token] = String(link).split('#token=');
  const member = new Browser({ url });
  const accepted = await member.ask('POST', '/admin/invitations/accept', { token, name: 'Grace', password: PASSWORD });
  return { member, memberId: accepted.user.id };
}

type Browsers = { browser: Browser; member: Browser };

function callersOf(
  url: string,
  keys: Record<'full' | 'read' | 'deleted', string>,
  { browser, member }: Browsers,
): Callers {
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  const cookie = ({ cookies }: Browser) => ({ Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') });
  return {
    key: bearer(keys.full),
    reader: bearer(keys.read),
    'deleted key': bearer(keys.deleted),
    'wrong key': bearer('plk_0000000000000000000000000000000000000'),
    nobody: { Origin: url },
    administrator: { ...cookie(browser), Origin: url },
    member: { ...cookie(member), Origin: url },
    'another page': { ...cookie(browser), Origin: 'https://example.com' },
  };
}
