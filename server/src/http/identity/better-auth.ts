import { passkey } from '@better-auth/passkey';
import { type BetterAuthPlugin, betterAuth } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { z } from 'zod';
import { hashPassword, verifyPassword } from '../../domain/accounts/passwords.ts';
import { createRecoveryCodes } from '../../domain/accounts/recovery-codes.ts';
import { createId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../model/passwords.ts';
import { SESSION_EXTENDED_MS, SESSION_LIFETIME_MS } from '../../model/users.ts';
import type { Database } from '../../storage/database.ts';
import { openForBetterAuth } from '../../storage/identity-database.ts';
import { ADDRESS_HEADER } from './address-header.ts';
import { singleUseCodes } from './single-use-codes.ts';

const PREFIXES: Record<string, string> = {
  user: 'usr',
  session: 'ses',
  account: 'crd',
  verification: 'ver',
  twoFactor: 'tfa',
  passkey: 'pky',
};

export interface BetterAuthOptions {
  database: Database;
  /** Signs cookies and encrypts second-factor secrets. */
  secret: string;
  cookiePrefix: string;
  isSecure: boolean;
  passkeyDomain: string;
  log: Log;
}

/** The cookie for a passkey's challenge. */
export const PASSKEY_COOKIE = 'passkey';

/** The service does not expose better-auth's routes; its own routes call better-auth's API. */
export function createBetterAuth(options: BetterAuthOptions) {
  const { database, secret, cookiePrefix, isSecure, passkeyDomain, log } = options;
  return betterAuth({
    appName: 'Property Listings',
    // Used only in links, which the service does not send.
    baseURL: 'http://localhost',
    basePath: '/admin/auth',
    secret,
    database: openForBetterAuth(database),
    telemetry: { enabled: false },
    // `PasswordAttempts` counts attempts before hashing.
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (_, message, err) => logTo(log, message, err) },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      maxPasswordLength: PASSWORD_LENGTH_MAX,
      password: { hash: hashPassword, verify: ({ password, hash }) => verifyPassword(password, hash) },
    },
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'sessions',
      expiresIn: SESSION_LIFETIME_MS / 1000,
      updateAge: SESSION_EXTENDED_MS / 1000,
      // Sensitive operations require the password instead of a fresh session.
      freshAge: 0,
      fields: {
        userId: 'user_id',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        expiresAt: 'expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      // The session's current account, which better-auth copies when it replaces a session.
      additionalFields: { accountId: { type: 'string', required: false, input: false, fieldName: 'account_id' } },
    },
    account: {
      modelName: 'credentials',
      fields: {
        userId: 'user_id',
        providerId: 'provider_id',
        accountId: 'provider_user_id',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    plugins: [
      singleUseCodes(database),
      beginSession,
      twoFactor({
        backupCodeOptions: { customBackupCodesGenerate: createRecoveryCodes },
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'two_factors',
            fields: {
              userId: 'user_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_verification_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      passkey({
        rpID: passkeyDomain,
        registration: {
          afterVerification: async ({ verification: { registrationInfo } }) => requireVerified(registrationInfo),
        },
        authentication: {
          afterVerification: async ({ verification: { authenticationInfo } }) => requireVerified(authenticationInfo),
        },
        advanced: { webAuthnChallengeCookie: PASSKEY_COOKIE },
        schema: {
          passkey: {
            modelName: 'passkeys',
            fields: {
              userId: 'user_id',
              credentialID: 'credential_id',
              publicKey: 'public_key',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
    ],
    advanced: {
      cookiePrefix,
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
      database: {
        generateId: ({ model }) => createId(PREFIXES[model] ?? 'aut'),
        // Our migrations create the tables.
        validateSchema: false,
      },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
    },
  });
}

/** better-auth logs an invalid passkey as an error, although the client is the cause. */
const REJECTED = /^Failed to verify (?:registration|authentication)$/;

function logTo({ logger }: Log, message: string, err: unknown): void {
  logger[REJECTED.test(message) ? 'info' : 'error']({ err }, `better-auth: ${message}`);
}

/** A passkey replaces password and second factor, so its authenticator must verify the user by PIN or biometrics. */
function requireVerified(info: { userVerified: boolean } | undefined): void {
  if (!info?.userVerified) throw new Error('The authenticator has not verified the user');
}

/** Starts a session without a password, for a new user. No route exposes this endpoint. */
const beginSession = {
  id: 'begin-session',
  endpoints: {
    beginSession: createAuthEndpoint(
      '/begin-session',
      { method: 'POST', body: z.object({ userId: z.string() }) },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.userId);
        if (!user) throw new Error('There is no user to start a session for');
        await setSessionCookie(context, { session: await internalAdapter.createSession(user.id), user });
        return context.json({});
      },
    ),
  },
} satisfies BetterAuthPlugin;

export type BetterAuth = ReturnType<typeof createBetterAuth>;
