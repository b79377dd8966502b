import { z } from 'zod';
import { operation } from '../operation.ts';
import { namedObject } from '../schemas/fields.ts';
import { setup, tokenOnly } from '../schemas/identity.ts';
import { INPUT_ERRORS, jsonBody, okReply } from './common.ts';
import { SESSION_REPLY } from './session.ts';

const setupState = namedObject('SetupState', {
  isOpen: z.boolean().describe('Whether there is no administrator yet.'),
  needsAccountName: z.boolean().describe('Whether there is no account yet.'),
  file: z.string().nullable().describe('The name of the file with the link, in `DATA_DIR`; null if there is none.'),
});

export const retrieveSetupOperation = operation('anyone', 'get', '/setup', {
  operationId: 'retrieveSetup',
  summary: 'Show the state of the setup',
  description:
    'Whether the service still needs its first administrator, who opens the setup link that the service prints when ' +
    'it starts.',
  replies: [okReply('The state of the setup.', setupState, { isOpen: false, needsAccountName: false, file: null })],
});

const setupOffer = namedObject('SetupOffer', {
  accountNames: z.array(z.string()).describe('The ten oldest accounts.'),
  hasMoreAccounts: z.boolean(),
});

export const previewSetupOperation = operation('anyone', 'post', '/setup/preview', {
  operationId: 'previewSetup',
  summary: 'Check a setup link',
  description:
    "Checks whether the setup link's token is valid, and returns the accounts that the first administrator will manage.",
  body: jsonBody(tokenOnly, { token: 'TOKEN_OF_THE_SETUP_LINK' }),
  replies: [okReply('The link works.', setupOffer, { accountNames: ['Hill Country Homes'], hasMoreAccounts: false })],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
});

export const setUpOperation = operation('anyone', 'post', '/setup', {
  operationId: 'setUp',
  summary: 'Become the first administrator',
  description: 'Creates the first administrator with the token of the setup link, and signs them in.',
  body: jsonBody(setup, {
    token: 'TOKEN_OF_THE_SETUP_LINK',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    password: 'correct horse battery staple',
    accountName: 'Hill Country Homes',
  }),
  replies: [{ ...SESSION_REPLY, status: 201, description: 'The new session.' }],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
});
