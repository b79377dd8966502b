import type { components, operations } from './admin';

type Schemas = components['schemas'];

export type Listing = Schemas['Listing'];
/** Whole listings: nothing here asks for `fields`. */
export type ListingList = Omit<Schemas['ListingList'], 'data'> & { data: Listing[] };
export type EventList = Schemas['EventList'];
export type ImportReport = Schemas['ImportReport'];

export type ApiKey = Schemas['ApiKey'];
export type ApiKeyList = Schemas['ApiKeyList'];
export type Account = Schemas['Account'];
export type Overview = Schemas['Overview'];
export type Activity = Schemas['AuditEntry'];
export type ActivityList = Schemas['AuditLog'];

export type Member = Schemas['Member'];
export type MemberList = Schemas['MemberList'];
export type Role = Member['role'];
export type Invitation = Schemas['Invitation'];
export type InvitationList = Schemas['InvitationList'];
export type CreatedInvitation = Schemas['CreatedInvitation'];
export type InvitationPreview = Schemas['InvitationPreview'];

export type Session = Schemas['Session'];
export type Setup = Schemas['SetupState'];
export type SetupOffer = Schemas['SetupOffer'];
/** One of the places where somebody is signed in. */
export type SignIn = operations['listSessions']['responses'][200]['content']['application/json'][number];
export type TwoFactorSetup = Schemas['TwoFactor'];
export type RecoveryCodes = Schemas['BackupCodes'];
