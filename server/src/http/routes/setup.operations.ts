import { z } from 'zod';
import type { Operation } from '../operations.ts';
import { JSON_TYPE } from '../reply.ts';
import { setup } from '../schemas/identity.ts';
import { noQuery } from '../schemas/query.ts';
import { INPUT_ERRORS } from './common.operations.ts';
import { SESSION_REPLY } from './session.operations.ts';

export const retrieveSetupOperation: Operation<typeof noQuery> = {
  method: 'get',
  path: '/setup',
  operationId: 'retrieveSetup',
  summary: 'Show whether there is an administrator yet',
  description: 'The first one comes in by a link, which the service prints when it starts.',
  caller: 'anybody',
  query: noQuery,
  replies: [
    {
      status: 200,
      description: 'How things stand.',
      schema: z
        .object({
          isOpen: z.boolean().meta({ description: 'Whether there is none yet.' }),
          needsAccountName: z.boolean().meta({ description: 'Whether there is no account either.' }),
          file: z.string().nullable().meta({ description: 'Where the link stands on the machine of the service.' }),
        })
        .meta({ id: 'SetupState' }),
      example: { isOpen: false, needsAccountName: false, file: null },
    },
  ],
  errors: [],
};

export const setUpOperation: Operation<typeof noQuery> = {
  method: 'post',
  path: '/setup',
  operationId: 'setUp',
  summary: 'Become the first administrator',
  description: 'By the token of the setup link; whoever is first is signed in.',
  caller: 'anybody',
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
