import type { Principal } from '../../domain/principals.ts';
import { findSetupState, previewSetup, setUp } from '../../domain/setup.ts';
import { previewSetupOperation, retrieveSetupOperation, setUpOperation } from '../contract/operations/setup.ts';
import { setup, tokenOnly } from '../contract/schemas/identity.ts';
import { countingWrong, WRONG_LINK } from '../identity/token-trial.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { letIn } from './auth.ts';

/** The first administrator. */
export function addSetup(mount: Mount<Principal | undefined>, services: Services): void {
  const { database, setupLink, trustedProxies } = services;
  addOperation(mount, retrieveSetupOperation, async () => {
    const state = await findSetupState(database);
    return replyJson(200, JSON.stringify({ ...state, file: state.isOpen ? setupLink.file : null }));
  });
  const preview = async (exchange: Exchange) => {
    const { token } = await readInput(exchange, tokenOnly);
    return replyJson(200, JSON.stringify(await previewSetup(database, token)));
  };
  addOperation(mount, previewSetupOperation, countingWrong(WRONG_LINK, services, preview));
  const become = async (exchange: Exchange) => {
    const { token, ...given } = await readInput(exchange, setup);
    const { id } = await setUp(database, given, clientAddress(exchange.incoming, trustedProxies), token);
    setupLink.remove();
    const reply = await letIn(id, exchange, services);
    return { ...reply, status: 201 };
  };
  addOperation(mount, setUpOperation, countingWrong(WRONG_LINK, services, become));
}
