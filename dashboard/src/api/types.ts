import type { components } from './admin';

export type Listing = components['schemas']['Listing'];
/** Whole listings: nothing here asks for `fields`. */
export type ListingList = Omit<components['schemas']['ListingList'], 'data'> & { data: Listing[] };
export type EventList = components['schemas']['EventList'];
export type ImportReport = components['schemas']['ImportReport'];

export type ApiKey = components['schemas']['ApiKey'];
export type Account = components['schemas']['Account'];
export type Overview = components['schemas']['Overview'];
export type Activity = components['schemas']['AuditEntry'];

export type Member = components['schemas']['Member'];
export type Invitation = components['schemas']['Invitation'];
export type CreatedInvitation = components['schemas']['CreatedInvitation'];

export type Role = 'administrator' | 'member';

export interface Session {
  user: { id: string; name: string; email: string; hasTwoFactor: boolean };
  account: { id: string; name: string; role: Role; currency: string; areaUnits: 'sqft' | 'sqm' } | null;
  accounts: { id: string; name: string; role: Role }[];
}

export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export interface Setup {
  isOpen: boolean;
  needsAccountName: boolean;
  file: string | null;
}

/** One of the places where somebody is signed in. */
export interface SignIn {
  id: string;
  createdAt: string;
  ipAddress: string | null;
  userAgent: string | null;
  isCurrent: boolean;
}
