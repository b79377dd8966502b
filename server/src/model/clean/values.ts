/** The order of numeric dates: 03/04/2026 is March 4 (`mdy`) or April 3 (`dmy`). */
export type DateOrder = 'mdy' | 'dmy';
