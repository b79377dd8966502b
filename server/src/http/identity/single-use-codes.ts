import { createHmac } from 'node:crypto';
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { symmetricDecrypt } from 'better-auth/crypto';
import type { Database } from '../../storage/database.ts';
import { findTotpSecret, useTotpStep } from '../../storage/two-factors.ts';
import { wrongCode } from './better-auth-errors.ts';

const STEP_MS = 30_000;
/** better-auth also accepts the codes of the previous and next time steps, because clocks differ. */
const STEPS_APART_MAX = 1;
/** better-auth's cookie for a sign-in that is waiting for its code. */
const CHALLENGE_COOKIE = 'two_factor';

/** Makes each authenticator code work only once (RFC 6238 §5.2); better-auth accepts a code until it expires. */
export function singleUseCodes(database: Database): BetterAuthPlugin {
  const useUp = createAuthMiddleware(async (context) => {
    const userId = await findUserId(context);
    const encrypted = userId && (await findTotpSecret(database, userId));
    if (!userId || !encrypted) return;
    const secret = await symmetricDecrypt({ key: context.context.secretConfig, data: encrypted });
    const step = findStep(secret, context.body.code);
    // The code is wrong, so better-auth rejects and counts it.
    if (step === undefined) return;
    const latest = currentStep() + STEPS_APART_MAX;
    const isFirst = await database.write((transaction) => useTotpStep(transaction, userId, step, latest));
    if (!isFirst) throw wrongCode('Was already used; wait until the app shows the next one.');
  });
  return {
    id: 'single-use-codes',
    hooks: { before: [{ matcher: ({ path }) => path === '/two-factor/verify-totp', handler: useUp }] },
  };
}

/** The user of the session, or of a sign-in that is waiting for the code. */
async function findUserId(context: GenericEndpointContext): Promise<string | undefined> {
  const currentSession = await getSessionFromCtx(context);
  if (currentSession) return currentSession.user.id;
  const { name } = context.context.createAuthCookie(CHALLENGE_COOKIE);
  const token = await context.getSignedCookie(name, context.context.secret);
  const challenge = token ? await context.context.internalAdapter.findVerificationValue(token) : null;
  return challenge?.value;
}

function findStep(secret: string, code: string): number | undefined {
  const now = currentStep();
  for (let step = now - STEPS_APART_MAX; step <= now + STEPS_APART_MAX; step += 1) {
    if (codeOf(secret, step) === code) return step;
  }
  return undefined;
}

function currentStep(): number {
  return Math.floor(Date.now() / STEP_MS);
}

/** Computes a code as in RFC 4226 §5.3, with six digits. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const truncated = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(truncated % 1_000_000).padStart(6, '0');
}
