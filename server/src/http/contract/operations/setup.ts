import { z } from 'zod';
import { JSON_TYPE } from '../media-types.ts';
import type { Operation } from '../operation.ts';
import { setup, tokenOnly } from '../schemas/identity.ts';
import { noQuery } from '../schemas/query.ts';
import { INPUT_ERRORS } from './common.ts';
import { SESSION_REPLY } from './session.ts';

export const retrieveSetupOperation: Operation<'anyone'> = {
  method: 'get',
  path: '/setup',
  operationId: 'retrieveSetup',
  summary: 'Show whether there is an administrator yet',
  description: 'The first one comes in by a link, which the service prints when it starts.',
  caller: 'anyone',
  query: noQuery,
  replies: [
    {
      status: 200,
      description: 'How things stand.',
      schema: z
        .object({
          isOpen: z.boolean().meta({ description: 'Whether there is none yet.' }),
          needsAccountName: z.boolean().meta({ description: 'Whether there is no account either.' }),
          file: z
            .string()
            .nullable()
            .meta({ description: 'The file in the data directory of the service that holds the link.' }),
        })
        .meta({ id: 'SetupState' }),
      example: { isOpen: false, needsAccountName: false, file: null },
    },
  ],
  errors: [],
};

export const previewSetupOperation: Operation<'anyone'> = {
  method: 'post',
  path: '/setup/preview',
  operationId: 'previewSetup',
  summary: 'Look at a setup link',
  description: 'By its token: whether it works, and which accounts whoever uses it gets.',
  caller: 'anyone',
  query: noQuery,
  body: { types: [JSON_TYPE], schema: tokenOnly, example: { token: 'of the setup link' } },
  replies: [
    {
      status: 200,
      description: 'It works.',
      schema: z
        .object({
          accountNames: z.array(z.string()).meta({ description: 'Of the accounts that there are, the oldest ten.' }),
          hasMoreAccounts: z.boolean(),
        })
        .meta({ id: 'SetupOffer' }),
      example: { accountNames: ['Hill Country Homes'], hasMoreAccounts: false },
    },
  ],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
};

export const setUpOperation: Operation<'anyone'> = {
  method: 'post',
  path: '/setup',
  operationId: 'setUp',
  summary: 'Become the first administrator',
  description: 'By the token of the setup link; whoever is first is signed in.',
  caller: 'anyone',
  query: noQuery,
  body: {
    types: [JSON_TYPE],
    schema: setup,
    example: {
      token: 'of the setup link',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      password: 'correct horse battery staple',
      accountName: 'Hill Country Homes',
    },
  },
  replies: [{ ...SESSION_REPLY, status: 201, description: 'The session that has begun.' }],
  errors: [...INPUT_ERRORS, 'conflict', 'rate_limited'],
};
