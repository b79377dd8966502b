import { findSetupState, previewSetup, setUp } from '../../domain/accounts/setup.ts';
import { previewSetupOperation, retrieveSetupOperation, setUpOperation } from '../contract/operations/setup.ts';
import { setup, tokenOnly } from '../contract/schemas/identity.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { limitingAttempts, WRONG_LINK } from '../identity/attempts.ts';
import { clientAddress } from '../protocol/client-address.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';
import { signInNewUser } from './auth.ts';

export const setupEndpoints = [
  endpoint(retrieveSetupOperation, async (_, { services: { database, setupLink } }) => {
    const state = await findSetupState(database);
    return replyJson(200, JSON.stringify({ ...state, file: state.isOpen ? setupLink.file : null }));
  }),
  endpoint(
    previewSetupOperation,
    limitingAttempts(WRONG_LINK, async (exchange, { services }: Call) => {
      const { token } = await readInput(exchange, tokenOnly);
      return replyJson(200, JSON.stringify(await previewSetup(services.database, token)));
    }),
  ),
  endpoint(
    setUpOperation,
    limitingAttempts(WRONG_LINK, async (exchange, { services }: Call) => {
      const { database, setupLink, trustedProxies } = services;
      const { token, ...given } = await readInput(exchange, setup);
      const { id } = await setUp(database, given, clientAddress(exchange.incoming, trustedProxies), token);
      setupLink.remove();
      const reply = await signInNewUser(id, exchange, services);
      return { ...reply, status: 201 };
    }),
  ),
];
