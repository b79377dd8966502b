import type { Database } from '../../storage/database.ts';
import type { TrustedProxies } from '../protocol/client-address.ts';
import type { OwnAddress } from '../protocol/same-origin.ts';
import type { PasswordAttempts, TokenAttempts } from './attempts.ts';
import type { Identity } from './identity.ts';

export interface IdentityServices extends OwnAddress {
  database: Database;
  trustedProxies: TrustedProxies;
  identity: Identity;
  passwordAttempts: PasswordAttempts;
  tokenAttempts: TokenAttempts;
}
