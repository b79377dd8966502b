import type { Mailer } from '../../lib/mailer.ts';
import type { Webhook } from '../../model/webhooks.ts';
import type { Database } from '../../storage/database.ts';
import { listMembers } from '../../storage/memberships.ts';

/** Does nothing without a mailer. Calls `onError` for each administrator to whom the mail could not be sent. */
export async function mailDisabledWebhook(
  database: Database,
  { mailer, publicUrl }: { mailer: Mailer | undefined; publicUrl: string | undefined },
  accountId: string,
  { url }: Pick<Webhook, 'url'>,
  onError: (error: unknown) => void,
): Promise<void> {
  if (mailer === undefined) return;
  const { origin } = new URL(url);
  const text = `Every attempt to deliver an event to ${origin} has failed for five days, so the service has disabled the
webhook endpoint. When the endpoint works again, enable it under Developers → Webhooks. The service then sends all
missed events that are at most 30 days old.

${publicUrl ?? ''}/
`;
  const subject = `Webhook endpoint ${origin} is disabled`;
  for (const { email, role } of await listMembers(database, accountId))
    if (role === 'administrator') await mailer({ to: email, subject, text }).catch(onError);
}
