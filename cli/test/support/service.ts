import { after } from 'node:test';
import { startTestService, type Tenant } from '../../../testkit/src/service.ts';
import { type Settings, settingsOf } from './cli.ts';

/** One service for all tests of a file. */
export const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

export async function newAccount(): Promise<{ tenant: Tenant; settings: Settings }> {
  const tenant = await service.createTenant();
  return { tenant, settings: settingsOf(service, tenant) };
}
