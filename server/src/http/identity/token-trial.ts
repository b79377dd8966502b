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
 * A handler of requests that carry a link's token or a code: how many wrong ones come from an address is looked at before anything
 * is read.
 */
export function countingWrong(
  wrong: readonly ErrorCode[],
  services: IdentityServices,
  handler: (exchange: Exchange) => Promise<Reply>,
): (exchange: Exchange) => Promise<Reply> {
  const { tokenAttempts, trustedProxies } = services;
  return (exchange) =>
    tokenAttempts.run(clientAddress(exchange.incoming, trustedProxies), wrong, () => handler(exchange));
}
