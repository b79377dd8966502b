import { onBoth } from './migration.ts';

/** Users' passkeys (WebAuthn Level 3). Times are ISO 8601 strings, as in better-auth's other tables. */
export const passkeys = onBoth(`
  create table passkeys (
    id text collate "C" primary key,
    user_id text collate "C" not null references users (id) on delete cascade,
    name text collate "C" not null,
    credential_id text collate "C" not null unique,
    -- The COSE key in base64.
    public_key text collate "C" not null,
    -- The authenticator's signature counter; 0 if it does not count.
    counter integer not null,
    device_type text collate "C" not null,
    backed_up integer not null,
    -- Separated by commas.
    transports text collate "C",
    -- The model of the authenticator.
    aaguid text collate "C",
    created_at text collate "C" not null,
    last_used_at text collate "C"
  ) strict, without rowid;

  create index passkeys_user_id on passkeys (user_id);
`);
