import { type CreateLimiter, type Limiter, waitMsOf } from '../../lib/limiter.ts';
import { tooMany } from './attempts.ts';

const WINDOW_SECONDS = 60 * 60;
/** Limits unsolicited mail from one account to one address. */
const OF_EMAIL = { points: 5, seconds: WINDOW_SECONDS };
/** Enough for a large office that invites its members one by one. */
const OF_ACCOUNT = { points: 100, seconds: WINDOW_SECONDS };

/** Limits an account's invitations, both in total and to each address. */
export class InvitationLimit {
  readonly #toEmail: Limiter;
  readonly #ofAccount: Limiter;

  constructor(createLimiter: CreateLimiter) {
    this.#toEmail = createLimiter('invitations to an email address', OF_EMAIL);
    this.#ofAccount = createLimiter('invitations of an account', OF_ACCOUNT);
  }

  /** Counts by account first, which bounds the number of counted addresses. @throws {AppError} `rate_limited` */
  async spend(accountId: string, email: string): Promise<void> {
    await take(this.#ofAccount, accountId, 'invitations to this account');
    try {
      await take(this.#toEmail, `${accountId} ${email}`, `invitations to ${email}`);
    } catch (error) {
      await this.#ofAccount.reward(accountId);
      throw error;
    }
  }
}

async function take(limiter: Limiter, key: string, what: string): Promise<void> {
  const counted = await limiter.penalty(key);
  if (counted.consumedPoints > limiter.points) throw tooMany(what, waitMsOf(limiter, counted));
}
