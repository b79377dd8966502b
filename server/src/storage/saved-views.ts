import { findRows, putRow, type RowOf, removeRows } from './rows.ts';

export type SavedView = Pick<RowOf<'saved_views'>, 'name' | 'search'>;

export const listSavedViews = findRows('saved_views', ['accountId', 'userId'], ['name', 'search'], 'name');

export const listOtherViews = findRows('saved_views', ['accountId', 'userId', 'name !='], ['name'], 'name');

export const putSavedView = putRow('saved_views', ['accountId', 'userId', 'name'], ['search']);

export const removeSavedView = removeRows('saved_views', ['accountId', 'userId', 'name']);
