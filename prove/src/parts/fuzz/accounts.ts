import assert from 'node:assert/strict';
import { Browser, PASSWORD } from '../../../../testkit/src/browser.ts';
import { runCommand } from '../../../../testkit/src/process.ts';

export type Callers = ReturnType<typeof callersOf>;

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld(url: string, settings: Record<string, string>, lane: number) {
  const email = `ada-${lane}@example.com`;
  const names = ['accounts', 'create', '--name', `Lane ${lane}`, '--admin-email', email];
  const args = [...names, '--admin-password-stdin', '--json'];
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
  const member = await invite(browser, url, `grace-${lane}@example.com`);
  const callers = callersOf(url, { full: full.key, read: read.key, deleted: deleted.key }, { browser, member });
  return { url, browser, administratorId: String(session.user.id), callers };
}

async function invite(browser: Browser, url: string, email: string): Promise<Browser> {
  const { url: link } = await browser.ask('POST', '/admin/invitations', { email, role: 'member' }, 201);
  const [, token] = String(link).split('#token=');
  const member = new Browser({ url });
  await member.ask('POST', '/admin/invitations/accept', { token, name: 'Grace', password: PASSWORD });
  return member;
}

function callersOf(
  url: string,
  keys: Record<'full' | 'read' | 'deleted', string>,
  { browser, member }: Record<'browser' | 'member', Browser>,
) {
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  return {
    key: bearer(keys.full),
    reader: bearer(keys.read),
    'deleted key': bearer(keys.deleted),
    'wrong key': bearer('plk_0000000000000000000000000000000000000'),
    nobody: { Origin: url },
    // The callers below exist only in the `/admin` API.
    administrator: { Cookie: browser.cookie, Origin: url },
    member: { Cookie: member.cookie, Origin: url },
    'another page': { Cookie: browser.cookie, Origin: 'https://example.com' },
  };
}
