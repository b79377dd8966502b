import { onBoth } from './migration.ts';

export const singleUseCodes = onBoth(`
  -- The time step (RFC 6238: half a minute, counted from 1970) of the last used code.
  alter table two_factors add column last_step integer;
`);
