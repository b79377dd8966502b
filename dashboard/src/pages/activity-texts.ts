import type { AuditEntry } from '../api/admin';

const TEXTS: Record<AuditEntry['action'], string> = {
  'api_key.created': 'Generated the API key',
  'api_key.deleted': 'Deleted the API key',
  'api_key.renamed': 'Renamed the API key',
  'api_key.rolled': 'Rolled the API key',
  'member.joined': 'Joined the team:',
  'member.removed': 'Removed from the team:',
  'member.role_changed': 'Changed the role of',
  'invitation.created': 'Invited',
  'invitation.revoked': 'Revoked the invitation for',
  'account.created': 'Created the account',
  'account.updated': 'Updated the account',
  'account.suspended': 'Suspended the account',
  'account.resumed': 'Resumed the account',
  'administrator.signed_in': 'Signed in',
  'administrator.signed_out': 'Signed out',
  'administrator.name_changed': 'Changed their name to',
  'administrator.password_changed': 'Changed their password',
  'administrator.two_factor_enabled': 'Turned on two-step sign-in',
  'administrator.two_factor_disabled': 'Turned off two-step sign-in',
  'administrator.passkey_added': 'Added a passkey',
  'administrator.passkey_removed': 'Deleted a passkey',
  'administrator.recovery_code_used': 'Signed in with a recovery code',
  'administrator.recovery_codes_renewed': 'Created new recovery codes',
  'administrator.second_factor_refused': 'Entered a wrong code for two-step sign-in',
  'administrator.sessions_ended': 'Ended other sessions',
  'feed.created': 'Created the feed',
  'feed.updated': 'Updated the settings of the feed',
  'feed.deleted': 'Deleted the feed',
  'feed.run_finished': 'Sent a file to the feed',
  'import.finished': 'Imported listings:',
  'listing.created': 'Created the listing',
  'listing.updated': 'Updated the listing',
  'listing.deleted': 'Deleted the listing',
  'webhook.created': 'Created the webhook endpoint',
  'webhook.updated': 'Updated the webhook endpoint',
  'webhook.deleted': 'Deleted the webhook endpoint',
  'webhook.disabled': 'Disabled the failing webhook endpoint',
  'webhook.secret_rolled': 'Rolled the signing secret of',
  'webhook.replayed': 'Replayed events to',
  'webhook.redelivered': 'Redelivered an event to',
};

/** What an operator did for the user whom the entry names. */
const TEXTS_WITH_USER: Partial<Record<string, string>> = {
  'administrator.password_changed': 'Reset the password of',
  'administrator.two_factor_disabled': 'Turned off two-step sign-in for',
  'administrator.passkey_removed': 'Deleted the passkeys of',
};

export const ACTIONS = Object.keys(TEXTS);

/** Describes an action, even one that this page does not know because the service is newer. */
export function describeAction({ action, target }: AuditEntry): string {
  const texts: Partial<Record<string, string>> = target === null ? TEXTS : { ...TEXTS, ...TEXTS_WITH_USER };
  return texts[action] ?? action.replace('.', ' ').replaceAll('_', ' ');
}
