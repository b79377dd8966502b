import { Browser } from '../../../../testkit/src/browser.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import type { Tenant } from '../../../../testkit/src/service.ts';

/** The first administrator, whom a service makes that is started with these settings. */
export const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };

export const CREDENTIALS = { email: ADMINISTRATOR.ADMIN_EMAIL, password: ADMINISTRATOR.ADMIN_PASSWORD };

/** The administrator's account, and a key that they make: with less effort than by the command line. */
export async function makeTenant(service: ServeProcess): Promise<Tenant> {
  const browser = new Browser(service);
  const { account } = await browser.ask('POST', '/admin/auth/sign-in/email', CREDENTIALS);
  const { id, key } = await browser.ask('POST', '/admin/api-keys', { name: 'Test' }, 201);
  return { accountId: account.id, keyId: id, key };
}
