import type { Generated } from 'kysely';
import type { AreaUnits } from '../model/accounts.ts';
import type { Access } from '../model/api-keys.ts';
import type { EventType } from '../model/events.ts';

/** The tables, as queries see them. Times are UTC milliseconds unless a document holds them. */
export interface Tables {
  database_info: {
    /** Always 1: there is one row. */
    id: number;
    /** Tells sequences from before a restore from those after. */
    epoch: string;
    /** Signs cursors; 32 random bytes in hex. */
    cursor_secret: string;
    created_at: number;
  };
  accounts: {
    id: string;
    name: string;
    currency: string;
    area_units: AreaUnits;
    created_at: number;
  };
  account_heads: {
    account_id: string;
    /** Grows by one with every change to the account's listings. */
    sequence: number;
    listing_count: number;
  };
  listings: {
    account_id: string;
    id: string;
    version: number;
    /** The account's sequence at the last change. */
    sequence: number;
    /** The listing as it is served: JSON text. */
    doc: string;
  };
  /** What a listing is filtered, sorted and searched by. */
  listing_facets: {
    account_id: string;
    id: string;
    external_id: string | null;
    status: string;
    property_type: string | null;
    city: string | null;
    postal_code: string | null;
    beds: number;
    baths: number;
    list_price: number | null;
    living_area: number | null;
    year_built: number | null;
    latitude: number | null;
    longitude: number | null;
    /** RFC 3339, as in the document. */
    created_at: string;
    updated_at: string;
    /** Its row in `listing_words`. */
    search_row: number;
  };
  /** SQLite's full-text index. */
  listing_words: {
    rowid: Generated<number>;
    words: string;
  };
  events: {
    account_id: string;
    sequence: number;
    type: EventType;
    listing_id: string;
    /** The listing after the change, once a later one has replaced it in `listings`; until then null. */
    doc: string | null;
    /** JSON array of the names of the changed fields; null unless it was updated. */
    changed: string | null;
    created_at: number;
  };
  idempotency_keys: {
    account_id: string;
    key: string;
    /** What the request was: a hash. */
    fingerprint: string;
    /** What came of it: JSON text. */
    outcome: string;
    expires_at: number;
  };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    access: Access;
    /** SHA-256 in hex. */
    hash: string;
    start: string;
    created_by: string | null;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
}
