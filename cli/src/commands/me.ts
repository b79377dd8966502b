import type { Command } from '../command.ts';
import { withClient } from '../connection.ts';
import { type OutputOptions, withOutputOptions, writeRecord } from '../output/record.ts';

export function addMe(program: Command): void {
  const command = program.command('me').description('show the account and API key in use');
  withOutputOptions(command).action((options: OutputOptions) =>
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
