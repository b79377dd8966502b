import { onBoth } from './migration.ts';

/**
 * Users, memberships, and the audit log. Times in better-auth's five tables are ISO 8601 strings, which
 * compare correctly on both engines; all other times are UTC milliseconds.
 */
export const administrators = onBoth(
  `
  create table users (
    id text collate "C" primary key,
    name text collate "C" not null,
    email text collate "C" not null unique,
    email_verified integer not null default 0,
    image text collate "C",
    two_factor_enabled integer not null default 0,
    created_at text collate "C" not null,
    updated_at text collate "C" not null
  ) strict, without rowid;

  create table sessions (
    id text collate "C" primary key,
    token text collate "C" not null unique,
    user_id text collate "C" not null references users (id) on delete cascade,
    -- The account that the user works in, if one was chosen.
    account_id text collate "C" references accounts (id) on delete set null,
    ip_address text collate "C",
    user_agent text collate "C",
    expires_at text collate "C" not null,
    created_at text collate "C" not null,
    updated_at text collate "C" not null
  ) strict, without rowid;

  create index sessions_user_id on sessions (user_id);
  create index sessions_account_id on sessions (account_id);
  create index sessions_expires_at on sessions (expires_at);

  create table credentials (
    id text collate "C" primary key,
    user_id text collate "C" not null references users (id) on delete cascade,
    provider_id text collate "C" not null,
    provider_user_id text collate "C" not null,
    password text collate "C",
    created_at text collate "C" not null,
    updated_at text collate "C" not null,
    unique (provider_id, provider_user_id)
  ) strict, without rowid;

  create index credentials_user_id on credentials (user_id);

  create table verifications (
    id text collate "C" primary key,
    identifier text collate "C" not null,
    value text collate "C" not null,
    expires_at text collate "C" not null,
    created_at text collate "C" not null,
    updated_at text collate "C" not null
  ) strict, without rowid;

  create index verifications_identifier on verifications (identifier);
  create index verifications_expires_at on verifications (expires_at);

  create table two_factors (
    id text collate "C" primary key,
    user_id text collate "C" not null unique references users (id) on delete cascade,
    secret text collate "C" not null,
    backup_codes text collate "C" not null,
    verified integer not null default 1,
    failed_verification_count integer default 0,
    locked_until text collate "C"
  ) strict, without rowid;

  create table memberships (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    user_id text collate "C" not null references users (id) on delete cascade,
    role text collate "C" not null check (role in ('administrator', 'member')),
    created_at integer not null,
    primary key (account_id, user_id)
  ) strict, without rowid;

  create index memberships_user_id on memberships (user_id);

  create table invitations (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    id text collate "C" not null,
    email text collate "C" not null,
    role text collate "C" not null check (role in ('administrator', 'member')),
    hash text collate "C" not null unique,
    -- The hash of the mailed link, which the dashboard never shows.
    mailed_hash text collate "C" not null unique,
    -- The inviter and their name at that time; the operator has no id.
    inviter_id text collate "C",
    invited_by text collate "C" not null,
    created_at integer not null,
    expires_at integer not null,
    primary key (account_id, id),
    unique (account_id, email)
  ) strict, without rowid;

  -- The link that creates the first administrator; at most one.
  create table setup_links (
    id integer primary key check (id = 1),
    hash text collate "C" not null,
    expires_at integer not null
  ) strict;

  create table audit_log (
    account_id text collate "C" not null references accounts (id) on delete cascade,
    id text collate "C" not null,
    at integer not null,
    actor_type text collate "C" not null,
    actor_id text collate "C",
    actor_name text collate "C" not null,
    actor_email text collate "C",
    action text collate "C" not null,
    target_type text collate "C",
    target_id text collate "C",
    target_name text collate "C",
    address text collate "C",
    primary key (account_id, id)
  ) strict, without rowid;
`,
  {
    sqlite: `
      create trigger audit_log_stays before update on audit_log
        begin select raise(abort, 'what the audit log says stays'); end;

      -- Deleting an account deletes its entries: when the trigger runs, the account is gone.
      create trigger audit_log_keeps before delete on audit_log
        when exists (select 1 from accounts where id = old.account_id)
        begin select raise(abort, 'what the audit log says stays'); end;
    `,
    postgres: `
      create function refuse_audit_change() returns trigger language plpgsql as $$
        begin
          -- Deleting an account deletes its entries: when the trigger runs, the account is gone.
          if tg_op = 'UPDATE' or exists (select 1 from accounts where id = old.account_id) then
            raise exception 'what the audit log says stays';
          end if;
          return old;
        end $$;

      create trigger audit_log_stays before update or delete on audit_log
        for each row execute function refuse_audit_change();
    `,
  },
);
