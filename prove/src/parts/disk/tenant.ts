import { Browser } from '../../../../testkit/src/browser.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import type { Tenant } from '../../../../testkit/src/service.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';

/** Settings with which the service creates the first administrator. */
export const ADMINISTRATOR = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery staple' };

export const CREDENTIALS = { email: ADMINISTRATOR.ADMIN_EMAIL, password: ADMINISTRATOR.ADMIN_PASSWORD };

/** Faster than by the command line. */
export async function makeTenant(service: ServeProcess): Promise<Tenant> {
  const browser = new Browser(service);
  const { account } = await browser.ask('POST', '/admin/auth/sign-in/email', CREDENTIALS);
  const { id, key } = await browser.ask('POST', '/admin/api-keys', { name: 'Test' }, 201);
  return { accountId: account.id, keyId: id, key };
}

/** The service, or its last words if it does not start. */
export async function startOrWords(trial: Trial, settings: Record<string, string>): Promise<ServeProcess | string> {
  return serve(trial, settings).catch((error: Error) => error.message);
}
