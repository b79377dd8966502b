import type { Generated } from 'kysely';
import type { Separator } from '../lib/csv-separator.ts';
import type { Account } from '../model/accounts.ts';
import type { ApiKey } from '../model/api-keys.ts';
import type { ActorType, AuditEntry, TargetType } from '../model/audit.ts';
import type { FeedOutcome } from '../model/feeds.ts';
import type { EventType } from '../model/listings.ts';
import type { Invitation, Role } from '../model/users.ts';
import type { Delivery, Webhook } from '../model/webhooks.ts';

export type Snake<S extends string> = S extends `${infer C}${infer Rest}`
  ? `${C extends Lowercase<C> ? C : `_${Lowercase<C>}`}${Snake<Rest>}`
  : S;

/** The members of a type as columns: `createdAt` is `created_at`. */
type Columns<T> = { [N in keyof T & string as Snake<N>]: T[N] };

/** Times are UTC milliseconds, except those that are also in documents and those in better-auth's tables. */
export interface Tables {
  database_info: {
    /** Always 1, since the table has one row. */
    id: number;
    /** Distinguishes sequences before a restore from those after it. */
    epoch: string;
    /** Signs cursors; 32 random bytes in hex. */
    cursor_secret: string;
    created_at: number;
  };
  accounts: Columns<Account> & { created_at: number };
  account_heads: {
    account_id: string;
    /** Increases by one with each change of the account's listings. */
    sequence: number;
    listing_count: number;
    /** The greatest id that a listing of the account has had. */
    newest_id: Generated<string>;
    /** The size of the account's versions in `listings` and `listing_history` (`countBytes` in model/history.ts). */
    stored_bytes: Generated<number>;
    /** The account's quotas; null means no quota. */
    listings_max: number | null;
    bytes_max: number | null;
    rate_points: number | null;
    rate_seconds: number | null;
    /** Why the account is suspended; null while it is not. */
    suspended_for: string | null;
  };
  listings: {
    account_id: string;
    id: string;
    version: number;
    /** The account's sequence at the last change. */
    sequence: number;
    /** Who made the last change, and its changed fields, as JSON (model/history.ts). */
    actor: string | null;
    changes: string | null;
    /** Only on SQLite: the listing's terms (model/search-terms.ts), each preceded by a space. */
    terms: string;
    /** The listing's JSON text, which is the body of responses. */
    doc: string;
    /** The mark by which a run recognizes an unchanged or missing listing (domain/feeds/feed-rows.ts). */
    feed_mark: string | null;
  };
  /** How many listings have the same values. Only on SQLite. */
  listing_counts: {
    /** The account's number. */
    account_id: string;
    status: string;
    beds: number;
    property_type: string;
    baths: number;
    count: number;
  };
  /** The search columns, by which listings are filtered, sorted, and searched. */
  listing_facets: {
    /** On SQLite, the account's number. */
    account_id: string;
    id: string;
    external_id: string | null;
    feed: string | null;
    status: string;
    property_type: string | null;
    /** Folded (`foldText` in model/words.ts), as are the state or province, postal code, and country. */
    city: string | null;
    state_or_province: string | null;
    postal_code: string | null;
    country: string | null;
    beds: number;
    baths: number;
    list_price: number | null;
    close_price: number | null;
    living_area: number | null;
    lot_size_area: number | null;
    year_built: number | null;
    on_market_date: string | null;
    close_date: string | null;
    latitude: number | null;
    longitude: number | null;
    /** RFC 3339, as in the document. */
    created_at: string;
    updated_at: string;
    /** Only on PostgreSQL: the listing's terms (model/search-terms.ts) as tsvector. */
    terms: string;
  };
  events: {
    account_id: string;
    sequence: number;
    type: EventType;
    listing_id: string;
    /** JSON array of the changed fields' names; null unless the event is an update. */
    changed: string | null;
    created_at: number;
    /** The listing's feed after the change; for a deletion, the feed before it. */
    feed: string | null;
    /** The external id of a deleted listing. Those of other listings are in their documents. */
    external_id: string | null;
  };
  /** The former versions of listings, and their deletions. */
  listing_history: {
    account_id: string;
    listing_id: string;
    sequence: number;
    version: number;
    type: EventType;
    /** RFC 3339, as in the document. */
    at: string;
    /** JSON text. `actor` is null if it is unknown, and `changes` is null if there are no changed fields. */
    actor: string | null;
    changes: string | null;
    /** The listing after the change, until the event of the next change is purged; null for a deletion. */
    doc: string | null;
  };
  idempotency_keys: {
    account_id: string;
    key: string;
    /** A hash of the request. */
    fingerprint: string;
    /** JSON text. */
    outcome: string;
    expires_at: number;
  };
  api_keys: Columns<ApiKey> & {
    /** The SHA-256 of the key, in hex. */
    hash: string;
  };
  key_hours: {
    account_id: string;
    /** The start of the hour. */
    hour: number;
    key_id: string;
    requests: number;
    /** Requests that got an error response. */
    errors: number;
  };
  /** The last batch of key hours that each process has written. */
  key_use_batches: {
    process: string;
    /** Increases with each batch of the process. */
    number: number;
    written_at: number;
  };
  /** The request log. On SQLite, it is in another file. */
  request_blocks: {
    account_id: string;
    /** Begins with the time of the block's requests. */
    id: string;
    /** A JSON array in UTF-8; on SQLite, compressed unless it is short. */
    requests: Uint8Array;
    failures: number;
    /** The approximate size of the row. */
    bytes: Generated<number>;
  };
  /** Shared rate limits, only on PostgreSQL. The library that `lib/limiter.ts` uses also reads and writes them. */
  rate_limits: {
    /** The limiter's name, a colon, and the counted key. */
    key: string;
    points: number;
    /** When the window ends. */
    expire: number;
  };
  users: {
    id: string;
    name: string;
    /** In lower case. */
    email: string;
    email_verified: number;
    image: string | null;
    two_factor_enabled: number;
    /** An ISO 8601 string, like all times in better-auth's tables. */
    created_at: string;
    updated_at: string;
  };
  sessions: {
    id: string;
    token: string;
    user_id: string;
    /** The account that the user works in, if they have chosen one. */
    account_id: string | null;
    ip_address: string | null;
    user_agent: string | null;
    expires_at: string;
    created_at: string;
    /** When the session was last extended; use extends it at most once a day. */
    updated_at: string;
  };
  credentials: {
    id: string;
    user_id: string;
    /** Always `credential`. */
    provider_id: string;
    /** The user's id. */
    provider_user_id: string;
    /** The hash of the password. */
    password: string | null;
    created_at: string;
    updated_at: string;
  };
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expires_at: string;
    created_at: string;
    updated_at: string;
  };
  two_factors: {
    id: string;
    user_id: string;
    /** Encrypted. */
    secret: string;
    /** Encrypted. */
    backup_codes: string;
    verified: number;
    failed_verification_count: number | null;
    locked_until: string | null;
    /** The time step (RFC 6238) of the last used code. */
    last_step: number | null;
  };
  passkeys: {
    id: string;
    user_id: string;
    name: string;
    /** The authenticator's id for the passkey, in base64url. */
    credential_id: string;
    public_key: string;
    counter: number;
    device_type: string;
    backed_up: number;
    transports: string | null;
    aaguid: string | null;
    created_at: string;
    last_used_at: string | null;
  };
  memberships: {
    account_id: string;
    user_id: string;
    role: Role;
    created_at: number;
  };
  saved_views: {
    account_id: string;
    user_id: string;
    name: string;
    /** The query string of the Listings page. */
    search: string;
  };
  invitations: Columns<Invitation> & {
    /** The SHA-256 of the token in the invitation's link, in hex. */
    hash: string;
    /** Like `hash`, but of the token in the mailed link, which the dashboard does not show. */
    mailed_hash: string;
    /** The user who sent the invitation; null for the operator. */
    inviter_id: string | null;
  };
  setup_links: {
    /** Always 1. */
    id: number;
    /** The SHA-256 of the token in the link, in hex. */
    hash: string;
    expires_at: number;
  };
  feeds: {
    account_id: string;
    name: string;
    /** JSON text. */
    settings: string;
    listing_count: number;
    created_at: number;
    last_success_at: number | null;
    /** The last run, or the deletion of the feed if it has begun. */
    run_id: string | null;
    /** The time by which the run or deletion must renew its lease; null if it is not in progress. */
    lease_until: number | null;
    /** JSON text: the columns of the CSV files that were applied, with their fields; null if there are none. */
    last_columns: string | null;
  };
  feed_runs: {
    account_id: string;
    id: string;
    feed: string;
    started_at: number;
    finished_at: number | null;
    outcome: FeedOutcome;
    /** JSON text. */
    counts: string;
    sequence_from: number | null;
    sequence_to: number | null;
    /** The first failed rows, as JSON text. */
    errors: string;
    /** The run's own error, as JSON text. */
    error: string | null;
    /** The number of stored failed rows, and their approximate size in bytes, including `errors`. */
    stored_rows: number;
    stored_bytes: number;
    /** The separator of the CSV file; null for another file, or if it is not known. */
    separator: Separator | null;
  };
  feed_errors: {
    account_id: string;
    run_id: string;
    number: number;
    /** JSON text. */
    error: string;
    /** The row's own values as JSON text. */
    row_values: string | null;
  };
  webhooks: Columns<Omit<Webhook, 'types' | 'enabled' | 'pending'>> & {
    account_id: string;
    /** JSON array; null for all. */
    types: string | null;
    enabled: number;
    /** Encrypted if the operator has set a key (lib/secret-box.ts). */
    secret: string;
    old_secret: string | null;
    pending: Generated<number>;
    /** The process that sends the endpoint's webhooks; null after each change by a user or an API key. */
    owner: string | null;
    /** Increases with each change by a user or an API key. */
    revision: Generated<number>;
  };
  webhook_deliveries: Columns<Delivery> & { account_id: string; webhook_id: string };
  /** The leases of the processes that send webhooks: one for each process, and one for each shard of the accounts. */
  webhook_leases: {
    name: string;
    owner: string;
    /** Increases while the owner runs. */
    beat: number;
  };
  /** Append-only. */
  audit_log: Columns<Pick<AuditEntry, 'accountId' | 'id' | 'at' | 'action'>> & {
    actor_type: ActorType;
    actor_id: string | null;
    actor_name: string;
    actor_email: string | null;
    target_type: TargetType | null;
    target_id: string | null;
    target_name: string | null;
    /** The client's address. */
    address: string | null;
  };
}
