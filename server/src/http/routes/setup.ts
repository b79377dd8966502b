import type { Holder } from '../../domain/holders.ts';
import { findSetupState, previewSetup, setUp } from '../../domain/setup.ts';
import type { Services } from '../app.ts';
import { clientAddress } from '../client-address.ts';
import type { Exchange } from '../exchange.ts';
import { countingWrong, WRONG_LINK } from '../identity/token-trial.ts';
import { readInput } from '../input.ts';
import { addOperation, type Mount } from '../operations.ts';
import { replyJson } from '../reply.ts';
import { setup, tokenOnly } from '../schemas/identity.ts';
import { letIn } from './auth.ts';
import { previewSetupOperation, retrieveSetupOperation, setUpOperation } from './setup.operations.ts';

/** The first administrator. */
export function addSetup(mount: Mount<Holder | undefined>, services: Services): void {
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
