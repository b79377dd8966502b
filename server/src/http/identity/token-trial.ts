import type { ErrorCode } from '../../model/errors.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { Reply } from '../protocol/reply.ts';
import type { IdentityServices } from './services.ts';

/** What a link is answered with that does not work. */
export const WRONG_LINK: readonly ErrorCode[] = ['forbidden', 'not_found'];
/** What a code is answered with that is wrong, or that is not owed. */
export const WRONG_CODE: readonly ErrorCode[] = ['unauthorized', 'validation_failed'];

/**
 * A handler of requests that carry a link's token or a code: before anything is read it looks at how many wrong ones came
 * from the client's address.
 */
export function countingWrong<C extends { services: IdentityServices }>(
  wrong: readonly ErrorCode[],
  handle: (exchange: Exchange, call: C) => Promise<Reply>,
): (exchange: Exchange, call: C) => Promise<Reply> {
  return (exchange, call) => {
    const { tokenAttempts, trustedProxies } = call.services;
    return tokenAttempts.run(clientAddress(exchange.incoming, trustedProxies), wrong, () => handle(exchange, call));
  };
}
