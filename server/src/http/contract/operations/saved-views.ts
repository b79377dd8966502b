import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { expected, pathText, text } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, jsonBody, listReply } from './common.ts';

export const savedView = z
  .strictObject(
    {
      name: pathText({ lengthMax: 60, example: 'Austin below $500,000' }),
      search: text({
        lengthMax: 2_048,
        description: 'The query string of the Listings page.',
        example: 'city=Austin&listPrice%5Blte%5D=500000',
      }),
    },
    expected('an object'),
  )
  .meta({ id: 'SavedView' });

const example = { name: 'Austin below $500,000', search: 'city=Austin&listPrice%5Blte%5D=500000' };

export const listSavedViewsOperation: Operation<'member'> = {
  method: 'get',
  path: '/views',
  operationId: 'listSavedViews',
  summary: 'List your saved views',
  description: 'Your saved listing searches in this account, sorted by name.',
  caller: 'member',
  replies: [listReply('The views.', 'SavedViewList', savedView, example)],
  errors: [],
};

export const saveViewOperation: Operation<'member'> = {
  method: 'post',
  path: '/views',
  operationId: 'saveView',
  summary: 'Save a view',
  description:
    'If you already have a view with this name, it is replaced. You can have up to 50 views in each account.',
  caller: 'member',
  body: jsonBody(savedView, example),
  replies: [{ status: 200, description: 'The saved view.', schema: savedView, example }],
  errors: [...INPUT_ERRORS, 'conflict'],
  errorExamples: {
    conflict: { message: 'You already have 50 saved views, which is the maximum; delete one first.' },
    validation_failed: invalid({ field: 'name', code: 'blank', message: 'Must not be blank.' }),
  },
};

export const deleteSavedViewOperation: Operation<'member'> = {
  method: 'delete',
  path: '/views/{name}',
  operationId: 'deleteSavedView',
  summary: 'Delete a saved view',
  description: 'Deletes your view with this name.',
  caller: 'member',
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: ['not_found', 'outcome_unknown', 'storage_full'],
  errorExamples: { not_found: { message: 'There is no saved view with this name.' } },
};
