import { findSetupState, setUp } from '../../domain/setup.ts';
import type { Services } from '../app.ts';
import { clientAddress } from '../client-address.ts';
import { readInput } from '../input.ts';
import { replyJson } from '../reply.ts';
import type { Routes } from '../routes.ts';
import { setup } from '../schemas/identity.ts';
import { signInWith } from './auth.ts';

/** The first administrator. */
export function addSetup(routes: Routes, services: Services): void {
  const { database, setupLink, trustedProxies } = services;
  routes.add('GET', '/admin/setup', async () => {
    const state = await findSetupState(database);
    return replyJson(200, JSON.stringify({ ...state, file: state.isOpen ? setupLink.file : null }));
  });
  routes.add('POST', '/admin/setup', async (exchange) => {
    const { token, ...given } = await readInput(exchange, setup);
    await setUp(database, given, clientAddress(exchange.incoming, trustedProxies), token);
    setupLink.remove();
    const reply = await signInWith(given, exchange, services);
    return { ...reply, status: 201 };
  });
}
