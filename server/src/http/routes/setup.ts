import type { Holder } from '../../domain/holders.ts';
import { findSetupState, previewSetup, setUp } from '../../domain/setup.ts';
import type { Services } from '../app.ts';
import { clientAddress } from '../client-address.ts';
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
  addOperation(mount, previewSetupOperation, async (exchange) => {
    const { token } = await readInput(exchange, tokenOnly);
    return replyJson(200, JSON.stringify(await previewSetup(database, token)));
  });
  addOperation(mount, setUpOperation, async (exchange) => {
    const { token, ...given } = await readInput(exchange, setup);
    const { id } = await setUp(database, given, clientAddress(exchange.incoming, trustedProxies), token);
    setupLink.remove();
    const reply = await letIn(id, exchange, services);
    return { ...reply, status: 201 };
  });
}
