import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { setup, tokenOnly } from '../schemas/identity.ts';
import { INPUT_ERRORS, jsonBody, okReply } from './common.ts';
import { SESSION_REPLY } from './session.ts';

const setupState = z
  .object({
    isOpen: z.boolean().meta({ description: 'Whether there is no administrator yet.' }),
    needsAccountName: z.boolean().meta({ description: 'Whether there is no account yet.' }),
    file: z.string().nullable().meta({ description: 'The file with the link, in the data directory of the service.' }),
  })
  .meta({ id: 'SetupState' });

export const retrieveSetupOperation: Operation<'anyone'> = {
  method: 'get',
  path: '/setup',
  operationId: 'retrieveSetup',
  summary: 'Show the state of the setup',
  description:
    'Whether the service still needs its first administrator, who opens the setup link that the service prints when ' +
    'it starts.',
  caller: 'anyone',
  replies: [okReply('The state of the setup.', setupState, { isOpen: false, needsAccountName: false, file: null })],
  errors: [],
};

const setupOffer = z
  .object({
    accountNames: z.array(z.string()).meta({ description: 'The ten oldest accounts.' }),
    hasMoreAccounts: z.boolean(),
  })
  .meta({ id: 'SetupOffer' });

export const previewSetupOperation: Operation<'anyone'> = {
  method: 'post',
  path: '/setup/preview',
  operationId: 'previewSetup',
  summary: 'Check a setup link',
  description:
    "Checks whether the setup link's token is valid, and returns the accounts that the first administrator will manage.",
  caller: 'anyone',
  body: jsonBody(tokenOnly, { token: 'TOKEN_OF_THE_SETUP_LINK' }),
  replies: [okReply('The link works.', setupOffer, { accountNames: ['Hill Country Homes'], hasMoreAccounts: false })],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
};

export const setUpOperation: Operation<'anyone'> = {
  method: 'post',
  path: '/setup',
  operationId: 'setUp',
  summary: 'Become the first administrator',
  description: 'Creates the first administrator with the token of the setup link, and signs them in.',
  caller: 'anyone',
  body: jsonBody(setup, {
    token: 'TOKEN_OF_THE_SETUP_LINK',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    password: 'correct horse battery staple',
    accountName: 'Hill Country Homes',
  }),
  replies: [{ ...SESSION_REPLY, status: 201, description: 'The new session.' }],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
};
