import type { Command } from 'commander';
import { type CurlOptions, withClient, withCurlOption } from '../connection.ts';
import { type RecordOptions, withJsonOption, writeRecord } from '../output/record.ts';

export function addMe(program: Command): void {
  const command = program.command('me').description('show the account and API key in use');
  withCurlOption(withJsonOption(command)).action((options: CurlOptions & RecordOptions) =>
    withClient(options, async (client) => {
      const me = await client.me();
      await writeRecord(me, options, {
        account: me.account.name,
        accountId: me.account.id,
        key: me.key.name,
        keyId: me.key.id,
        access: me.key.access,
        expires: describeExpiry(me.key.expiresAt),
      });
    }),
  );
}

export function describeExpiry(expiresAt: string | null): string {
  return expiresAt === null ? 'does not expire' : `expires ${expiresAt}`;
}
