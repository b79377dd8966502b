import { deleteListings } from '../../domain/listings/listings.ts';
import { deleteSomeOperation, deletionInput } from '../contract/operations/deletions.ts';
import { endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';

export const deletionEndpoints = [
  endpoint(deleteSomeOperation, async (exchange, { services: { database } }) => {
    const { ids } = await readInput(exchange, deletionInput);
    const actor = requireFullAccess(exchange.principal);
    const { deleted, sequence } = await deleteListings(database, actor, ids);
    exchange.sequence = sequence;
    return replyJson(200, JSON.stringify({ deleted }));
  }),
];
