import type { components, operations } from './admin';

export type Schemas = components['schemas'];

export type Listing = Schemas['Listing'];
export type Status = Listing['status'];
export type ListingList = Schemas['ListingList'];
/** A field that a request can set. */
export type ListingFieldName = keyof Schemas['ListingInput'];
export type ListingMap = Schemas['Map'];
export type Cluster = Schemas['Cluster'];
export type History = Schemas['ListingHistory'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type EventList = Schemas['EventList'];
export type ImportReport = Schemas['ImportReport'];

export type SavedView = Schemas['SavedView'];

export type ApiKey = Schemas['ApiKey'];
export type GeneratedApiKey = Schemas['GeneratedApiKey'];
export type Account = Schemas['Account'];
export type Overview = Schemas['Overview'];
export type Activity = Schemas['AuditEntry'];
export type LoggedRequest = Schemas['LoggedRequest'];
export type LoggedRequestList = Schemas['LoggedRequestList'];
export type ListingEvent = Schemas['Event'];
export type EventType = ListingEvent['type'];

export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookTest = Schemas['WebhookTest'];
export type Delivery = Schemas['WebhookDelivery'];

export type Feed = Schemas['Feed'];
export type FeedRun = Schemas['FeedRun'];
export type FeedPlan = Schemas['FeedPlan'];

export type Member = Schemas['Member'];
export type Role = Member['role'];
export type Invitation = Schemas['Invitation'];
export type CreatedInvitation = Schemas['CreatedInvitation'];
export type InvitationPreview = Schemas['InvitationPreview'];

/** The current session with its user and accounts. */
export type Session = Schemas['Session'];
/** One of the user's sessions. */
export type SessionInfo = operations['listSessions']['responses'][200]['content']['application/json'][number];
/** One of the user's passkeys. */
export type Passkey = Schemas['Passkey'];
export type Setup = Schemas['SetupState'];
export type SetupOffer = Schemas['SetupOffer'];
export type TwoFactorSetup = Schemas['TwoFactor'];
export type RecoveryCodes = Schemas['BackupCodes'];
