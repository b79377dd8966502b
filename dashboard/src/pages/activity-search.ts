/** `user` is the id of a user, or the type of another actor; `from` and `to` are days in the user's time zone. */
export const ACTIVITY_SEARCH = ['kind', 'user', 'from', 'to', 'cursor'] as const;
export type ActivitySearch = Partial<Record<(typeof ACTIVITY_SEARCH)[number], string>>;
