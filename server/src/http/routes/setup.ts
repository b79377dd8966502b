import { findSetupState, previewSetup, setUp } from '../../domain/setup.ts';
import { previewSetupOperation, retrieveSetupOperation, setUpOperation } from '../contract/operations/setup.ts';
import { setup, tokenOnly } from '../contract/schemas/identity.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { countingWrong, WRONG_LINK } from '../identity/token-trial.ts';
import { clientAddress } from '../protocol/client-address.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';
import { letIn } from './auth.ts';

/** The first administrator. */
export const setupEndpoints = [
  endpoint(retrieveSetupOperation, async (_, { services: { database, setupLink } }) => {
    const state = await findSetupState(database);
    return replyJson(200, JSON.stringify({ ...state, file: state.isOpen ? setupLink.file : null }));
  }),
  endpoint(
    previewSetupOperation,
    countingWrong(WRONG_LINK, async (exchange, { services }: Call) => {
      const { token } = await readInput(exchange, tokenOnly);
      return replyJson(200, JSON.stringify(await previewSetup(services.database, token)));
    }),
  ),
  endpoint(
    setUpOperation,
    countingWrong(WRONG_LINK, async (exchange, { services }: Call) => {
      const { database, setupLink, trustedProxies } = services;
      const { token, ...given } = await readInput(exchange, setup);
      const { id } = await setUp(database, given, clientAddress(exchange.incoming, trustedProxies), token);
      setupLink.remove();
      const reply = await letIn(id, exchange, services);
      return { ...reply, status: 201 };
    }),
  ),
];
