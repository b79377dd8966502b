import type { Activity } from '../api/types';

const WORDS: Record<Activity['action'], string> = {
  'api_key.created': 'Generated the key',
  'api_key.deleted': 'Deleted the key',
  'member.joined': 'Joined the team:',
  'member.removed': 'Removed from the team:',
  'member.role_changed': 'Changed the role of',
  'invitation.created': 'Invited',
  'invitation.revoked': 'Revoked the invitation of',
  'account.created': 'Created the account',
  'account.updated': 'Changed the account',
  'account.suspended': 'Suspended the account',
  'account.resumed': 'Resumed the account',
  'administrator.signed_in': 'Signed in',
  'administrator.signed_out': 'Signed out',
  'administrator.name_changed': 'Changed their name to',
  'administrator.password_changed': 'Changed their password',
  'administrator.two_factor_enabled': 'Turned two-step sign-in on',
  'administrator.two_factor_disabled': 'Turned two-step sign-in off',
  'administrator.recovery_code_used': 'Signed in with a recovery code',
  'administrator.recovery_codes_renewed': 'Made new recovery codes',
  'administrator.second_factor_refused': 'Gave wrong codes for two-step sign-in',
  'administrator.sessions_ended': 'Ended sign-ins',
  'import.finished': 'Imported a file',
  'listing.created': 'Created the listing',
  'listing.updated': 'Changed the listing',
  'listing.deleted': 'Deleted the listing',
};

/** What was done, as people say it; a newer service may know more. */
export function describeAction(action: string): string {
  const words: Partial<Record<string, string>> = WORDS;
  return words[action] ?? action.replace('.', ' ').replaceAll('_', ' ');
}
