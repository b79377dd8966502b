export const AUDIT_ACTIONS = [
  'account.created',
  'account.resumed',
  'account.suspended',
  'account.updated',
  'administrator.name_changed',
  'administrator.passkey_added',
  'administrator.passkey_removed',
  'administrator.password_changed',
  'administrator.recovery_code_used',
  'administrator.recovery_codes_renewed',
  'administrator.second_factor_refused',
  'administrator.sessions_ended',
  'administrator.signed_in',
  'administrator.signed_out',
  'administrator.two_factor_disabled',
  'administrator.two_factor_enabled',
  'api_key.created',
  'api_key.deleted',
  'api_key.renamed',
  'api_key.rolled',
  'feed.created',
  'feed.deleted',
  'feed.run_finished',
  'feed.updated',
  'import.finished',
  'invitation.created',
  'invitation.revoked',
  'listing.created',
  'listing.deleted',
  'listing.updated',
  'member.joined',
  'member.removed',
  'member.role_changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.redelivered',
  'webhook.replayed',
  'webhook.secret_rolled',
  'webhook.updated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const ACTOR_TYPES = ['administrator', 'api_key', 'operator', 'service'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export const TARGET_TYPES = [
  'account',
  'administrator',
  'api_key',
  'feed',
  'import',
  'invitation',
  'listing',
  'webhook',
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** The actor of an audit entry: a user or key (with its name at that time), the operator, or the service. */
export interface AuditActor {
  type: ActorType;
  id: string | null;
  name: string;
  /** Identifies the user even after a name change, because an email address cannot change. */
  email: string | null;
  address: string | null;
}

export interface AuditTarget {
  type: TargetType;
  id: string;
  name: string;
}

export interface AuditEntry {
  accountId: string;
  id: string;
  /** UTC milliseconds. */
  at: number;
  actor: AuditActor;
  action: AuditAction;
  target: AuditTarget | null;
}
