import { findRows, putRow, type RowOf, removeRows } from './rows.ts';

export type SavedView = Pick<RowOf<'saved_views'>, 'name' | 'search'>;

/** The views of a member, ordered by name. */
export const listSavedViews = findRows('saved_views', ['accountId', 'userId'], ['name', 'search'], 'name');

export const listOtherViews = findRows('saved_views', ['accountId', 'userId', 'name !='], ['name'], 'name');

/** Stores a view, replacing the member's view with the same name. */
export const putSavedView = putRow('saved_views', ['accountId', 'userId', 'name'], ['search']);

/** @returns how many were removed */
export const removeSavedView = removeRows('saved_views', ['accountId', 'userId', 'name']);
