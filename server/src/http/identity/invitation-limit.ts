import { type CreateLimiter, type Limiter, waitMsOf } from '../../lib/limiter.ts';
import { tooMany } from './too-many.ts';

const WINDOW_SECONDS = 60 * 60;
/** Each may be a letter to somebody who has asked for none. */
const OF_EMAIL = { points: 5, seconds: WINDOW_SECONDS };
/** A large office comes in one by one. */
const OF_ACCOUNT = { points: 100, seconds: WINDOW_SECONDS };

/** Counts the invitations of an account, and those of them that go to one address. */
export class InvitationLimit {
  readonly #toEmail: Limiter;
  readonly #ofAccount: Limiter;

  constructor(createLimiter: CreateLimiter) {
    this.#toEmail = createLimiter('invitations to an e-mail address', OF_EMAIL);
    this.#ofAccount = createLimiter('invitations of an account', OF_ACCOUNT);
  }

  /**
   * The account's comes first, and is given back if the address has no more: so no more addresses are counted than an
   * account may invite, whoever goes on asking, and what goes to one takes nothing from the others.
   * @throws {AppError} `rate_limited`
   */
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
