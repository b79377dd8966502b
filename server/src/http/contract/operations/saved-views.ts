import { operation } from '../operation.ts';
import { inputObject, pathText, text } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, jsonBody, listReply, okReply } from './common.ts';

export const savedView = inputObject('SavedView', {
  name: pathText({ lengthMax: 60, example: 'Austin below $500,000' }),
  search: text({
    lengthMax: 2_048,
    description: 'The query string of the Listings page.',
    example: 'city=Austin&listPrice%5Blte%5D=500000',
  }),
});

const example = { name: 'Austin below $500,000', search: 'city=Austin&listPrice%5Blte%5D=500000' };

export const listSavedViewsOperation = operation('member', 'get', '/views', {
  operationId: 'listSavedViews',
  summary: 'List your saved views',
  description: 'Your saved listing searches in this account, sorted by name.',
  replies: [listReply('The views.', 'SavedViewList', savedView, example)],
});

export const saveViewOperation = operation('member', 'post', '/views', {
  operationId: 'saveView',
  summary: 'Save a view',
  description:
    'If you already have a view with this name, it is replaced. You can have up to 50 views in each account.',
  body: jsonBody(savedView, example),
  replies: [okReply('The saved view.', savedView, example)],
  errors: [...INPUT_ERRORS, 'conflict'],
  errorExamples: {
    conflict: { message: 'You already have 50 saved views, which is the maximum; delete one first.' },
    validation_failed: invalid({ field: 'name', code: 'blank', message: 'Must not be blank.' }),
  },
});

export const deleteSavedViewOperation = operation('member', 'delete', '/views/{viewName}', {
  operationId: 'deleteSavedView',
  summary: 'Delete a saved view',
  description: 'Deletes your view with this name.',
  replies: [{ status: 204, description: 'Deleted.' }],
  errors: ['not_found', 'outcome_unknown', 'storage_full'],
  errorExamples: { not_found: { message: 'There is no saved view with this name.' } },
});
